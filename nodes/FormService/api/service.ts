import type { IDataObject } from 'n8n-workflow';
import type { Target } from './endpoints';
import { clock, waitUnlessAborted } from './clock';
import { unwrap } from './envelope';
import { NotSent } from './errors';
import { readList } from './replies/list';
import { parsePdfLink, parseUpdatedForm, parseWorkspace } from './replies/parse';
import { request } from './request/request';
import { createNotSent, getStopSignal } from './requestContext';
import type { RequestContext } from './requestContext';

/*
 * What the service does (specification, section 4); `replies/list` also gives lists page by page. n8n
 * composes the targets of operations, and `createTarget` those of the trigger and the editor.
 */

/** The workspace as received, with its secrets (section 2.1). */
export async function getWorkspace(context: RequestContext, target: Target): Promise<IDataObject> {
	return parseWorkspace(context, (await request(context, target)).value);
}

/** How long an outcome is given again, in milliseconds from the end of the work. */
export type Lifetimes = { found: number; failed: number };

/**
 * Recent outcomes, so that asking again costs nothing; work that is under way is always shared. Failures
 * are kept too, because each key that a person presses would meet them again. A timer drops each entry, so a
 * large list stays in memory no longer than its lifetime.
 */
export class TtlCache<T> {
	private readonly entries = new Map<string, Promise<T>>();

	/** The recent outcome of a key's work, or the one that the work gives now. */
	async get(key: string, { found, failed }: Lifetimes, work: () => Promise<T>): Promise<T> {
		const present = this.entries.get(key);
		if (present !== undefined) return await present;
		const entry = work();
		this.entries.set(key, entry);
		const removeEntry = () => {
			if (this.entries.get(key) === entry) this.entries.delete(key);
		};
		const scheduleRemoval = (ms: number) => {
			if (ms === 0) removeEntry();
			// unlike a sleep, this timer doesn't keep the process running
			else clock.timeout(ms).addEventListener('abort', removeEntry, { once: true });
		};
		entry.then(
			() => scheduleRemoval(found),
			() => scheduleRemoval(failed),
		);
		return await entry;
	}

	/** Drops all entries whose keys start so, even if their work is under way: they may be outdated. */
	clear(start: string): void {
		for (const key of this.entries.keys()) {
			if (key.startsWith(start)) this.entries.delete(key);
		}
	}
}

const lists = new TtlCache<IDataObject[]>();

/**
 * All forms with their fields, all fields of a form or all its responses, in the service's order (section
 * 4, rule 1). Callers who ask for one list at the same moment share one fetch, if they have the same
 * account, urgency and request options.
 *
 * @param options.limit the list is read no further than this many records
 * @param options.lifetimes how long the list is kept; by default, it is shared only while it is being fetched
 */
export async function listRecords(
	context: RequestContext,
	target: Target,
	options: { limit?: number; lifetimes?: Lifetimes } = {},
): Promise<IDataObject[]> {
	const { limit, lifetimes = { found: 0, failed: 0 } } = options;
	const { account, urgency, retry, transport, comparesText } = context;
	// a timeout or an unchecked certificate of one node must not apply to another
	const shared = [target.url, limit, urgency, lifetimes, retry, transport, comparesText];
	const entry = lists.get(account.key + JSON.stringify(shared), lifetimes, async () => {
		return await readList(context, target, limit);
	});
	const stop = getStopSignal(context);
	const given = waitUnlessAborted(entry, stop, () => createNotSent(context));
	return await given.catch(async (error: unknown) => {
		// the first caller was canceled, the others still need the list
		if (error instanceof NotSent && !stop?.aborted) {
			return await listRecords(context, target, options);
		}
		throw error;
	});
}

/** The link to the PDF of one response. */
export async function getPdfLink(context: RequestContext, target: Target): Promise<string> {
	return parsePdfLink(context, (await request(context, target)).value);
}

/** Adds a response (section 4, rules 2 to 4) and returns its ID, if the service gives one. */
export async function addResponse(
	context: RequestContext,
	target: Target,
): Promise<string | undefined> {
	return unwrap(await sendChange(context, target)).id;
}

/** Updates settings of a form (section 4, rules 5 and 6) and returns its id, name and time of update. */
export async function updateSettings(
	context: RequestContext,
	target: Target,
): Promise<IDataObject> {
	return parseUpdatedForm(context, await sendChange(context, target));
}

/** Sends a change, and drops the account's lists, which the change may have outdated. */
async function sendChange(context: RequestContext, target: Target): Promise<unknown> {
	try {
		return (await request(context, target)).value;
	} finally {
		lists.clear(context.account.key);
	}
}
