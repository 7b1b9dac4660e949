import type { IDataObject } from 'n8n-workflow';
import type { Target } from './endpoints';
import { clock, waitUnlessAborted } from './clock';
import type { Envelope } from './envelope';
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
	return parseWorkspace(context, (await request(context, target)).envelope);
}

/** How long a list is given again, in milliseconds from the end of the reading. */
export type Lifetimes = { found: number; failed: number };

/** Lists that are being read, or were read a short time ago, by account and by what was asked for. */
const lists = new Map<string, Promise<IDataObject[]>>();

/**
 * All forms with their fields, all fields of a form or all its responses, in the service's order (section
 * 4, rule 1). Callers who ask for one list at the same moment share one fetch, if they have the same
 * account, urgency and request options. Failures are kept as well, because each key that a person presses
 * would meet them again.
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
	const { account, urgency, retry, transport } = context;
	// a timeout or an unchecked certificate of one node must not apply to another
	const shared = [target.url, limit, urgency, lifetimes, retry, transport];
	const key = account.key + JSON.stringify(shared);
	const list = lists.get(key) ?? readList(context, target, limit);
	if (!lists.has(key)) keepList(key, list, lifetimes);
	const stop = getStopSignal(context);
	const given = waitUnlessAborted(list, stop, () => createNotSent(context));
	return await given.catch(async (error: unknown) => {
		// the first caller was canceled, the others still need the list
		if (error instanceof NotSent && !stop?.aborted) {
			return await listRecords(context, target, options);
		}
		throw error;
	});
}

/** A timer drops each list, so a large one stays in memory no longer than its lifetime. */
function keepList(key: string, list: Promise<IDataObject[]>, { found, failed }: Lifetimes): void {
	lists.set(key, list);
	const removeAfter = (ms: number) => {
		const remove = () => void (lists.get(key) === list && lists.delete(key));
		if (ms === 0) remove();
		// unlike a sleep, this timer doesn't keep the process running
		else clock.timeout(ms).addEventListener('abort', remove, { once: true });
	};
	list.then(
		() => removeAfter(found),
		// whoever else waits for a list that was given up reads it again
		(error: unknown) => removeAfter(error instanceof NotSent ? 0 : failed),
	);
}

/** The link to the PDF of one response. */
export async function getPdfLink(context: RequestContext, target: Target): Promise<string> {
	return parsePdfLink(context, (await request(context, target)).envelope);
}

/** Adds a response (section 4, rules 2 to 4) and returns its ID, if the service gives one. */
export async function addResponse(
	context: RequestContext,
	target: Target,
): Promise<string | undefined> {
	return (await sendChange(context, target)).id;
}

/** Updates settings of a form (section 4, rules 5 and 6) and returns its id, name and time of update. */
export async function updateSettings(
	context: RequestContext,
	target: Target,
): Promise<IDataObject> {
	return parseUpdatedForm(context, await sendChange(context, target));
}

/** Sends a change, and drops the account's lists, which the change may have outdated. */
async function sendChange(context: RequestContext, target: Target): Promise<Envelope> {
	try {
		return (await request(context, target)).envelope;
	} finally {
		for (const key of lists.keys()) if (key.startsWith(context.account.key)) lists.delete(key);
	}
}
