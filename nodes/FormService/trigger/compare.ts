import type { IDataObject, INode } from 'n8n-workflow';
import { getCreationTime } from '../api/answers/order';
import { CHECK_VERSION, ServiceError } from '../api/errors';
import { readBoolean } from '../api/readers';
import { getIdentities, getIdentity } from '../api/records';
import type { ResponseEvent, TriggerEvent } from '../parameters/watched';
import { MINUTE_MS } from './schedule';
import { computeFingerprint, describeKnown, REMEMBERED_DAYS } from './state';
import type { Known, KnownResponse } from './state';

/** An event of a listed response. */
export type Found = { event: ResponseEvent; record: IDataObject; fingerprint: string };

export type Rules = {
	node: INode;
	events: readonly TriggerEvent[];
	abandonedAfterMs: number;
	nowMs: number;
	/** Unknown responses that were created then or later are new. Epoch milliseconds of the service. */
	sinceMs: number;
};

/** What has changed of one response. */
type Change = {
	fingerprint: string;
	/** Undefined if it is forgotten. */
	known: KnownResponse | undefined;
	/** The fingerprint by which it was known, if it has another identity now. */
	former?: string;
};

export type Comparison = {
	/** What has happened, in the order of the listing. */
	found: Found[];
	/** Undefined on the first reading of a form. */
	before: Known | undefined;
	changes: Change[];
};

const NOTHING: Known = new Map();

/**
 * Compares a listing with what is known. Each response gives each event once, however often, in whatever
 * order and on however many pages it is listed: `responseCompleted` if it is complete and was not known
 * to be; `responseStarted` if it is new and incomplete; `responseAbandoned` if it has been incomplete
 * for long enough.
 *
 * A response that has left the listing is remembered for 30 days, so that a listing that is empty or
 * short for a while repeats nothing.
 *
 * @param before undefined on the first reading of a form
 * @param read a part of the listing does not show that a response has left
 * @throws NodeApiError if a response has no identity: it could not be told from the next
 */
export function compareResponses(
	before: Known | undefined,
	records: readonly IDataObject[],
	read: 'whole' | 'part',
	rules: Rules,
): Comparison {
	const found: Found[] = [];
	const changes: Change[] = [];
	const listed = listByFingerprint(before ?? NOTHING, records, rules.node);
	for (const [fingerprint, { record, former }] of listed) {
		const was = before?.get(former ?? fingerprint);
		const { event, known } = advance(was, record, rules);
		if (event !== undefined && rules.events.includes(event)) {
			found.push({ event, record, fingerprint });
		}
		if (known !== was || former !== undefined) changes.push({ fingerprint, known, former });
	}
	if (read === 'whole' && before !== undefined) {
		changes.push(...findMissing(before, listed, toMinute(rules.nowMs)));
	}
	return { found, before, changes };
}

/** What changes of known responses that are not listed. */
function findMissing(
	before: Known,
	listed: ReadonlyMap<string, Listed>,
	nowMinute: number,
): Change[] {
	const changes: Change[] = [];
	const former = new Set([...listed.values()].map((one) => one.former));
	for (const [fingerprint, { kind, isMissing, sinceMinute }] of before) {
		if (listed.has(fingerprint) || former.has(fingerprint)) continue;
		if (isMissing !== true) {
			changes.push({ fingerprint, known: describeKnown(kind, nowMinute, true) });
		} else if (nowMinute - sinceMinute > REMEMBERED_DAYS * MINUTES_A_DAY) {
			changes.push({ fingerprint, known: undefined });
		}
	}
	return changes;
}

/**
 * What is known after a comparison, except for events that are postponed: their responses stay as they
 * were.
 *
 * @returns `before` itself if nothing has changed
 */
export function computeKnown(
	{ before, changes }: Comparison,
	postponed: readonly Found[] = [],
): Known {
	const later = new Set(postponed.map(({ fingerprint }) => fingerprint));
	const applied = changes.filter(({ fingerprint }) => !later.has(fingerprint));
	if (before !== undefined && applied.length === 0) return before;
	const after = new Map(before);
	for (const { fingerprint, known, former } of applied) {
		if (former !== undefined) after.delete(former);
		if (known === undefined) after.delete(fingerprint);
		else after.set(fingerprint, known);
	}
	return after;
}

/** `is_incomplete` (specification, section 2.4). */
export function isIncomplete({ is_incomplete: value }: IDataObject): boolean {
	return readBoolean(value) === true;
}

const MINUTES_A_DAY = 24 * 60;

const toMinute = (epochMs: number) => Math.ceil(epochMs / MINUTE_MS);

type Listed = { record: IDataObject } & Pick<Change, 'former'>;

/**
 * The listed responses by the fingerprints of their identities: a service that adds a `uuid` beside the
 * `id` shows no new responses. If a response is listed twice, its complete record counts.
 */
function listByFingerprint(
	before: Known,
	records: readonly IDataObject[],
	node: INode,
): Map<string, Listed> {
	const listed = new Map<string, Listed>();
	for (const record of records) {
		const identity = getIdentity(record);
		if (identity === undefined) throw createIdentityError(node, record);
		const fingerprint = computeFingerprint(identity);
		const other = listed.get(fingerprint);
		if (other !== undefined) {
			if (isIncomplete(other.record)) other.record = record;
			continue;
		}
		const others =
			before.size === 0 || before.has(fingerprint) ? [] : getIdentities(record).slice(1);
		const former = others.map(computeFingerprint).find((one) => before.has(one));
		listed.set(fingerprint, { record, former });
	}
	return listed;
}

/** An event, if there is one, and what is known of the response from then on. */
type Step = { event?: ResponseEvent; known: KnownResponse };

/** What happens to a listed response. */
function advance(
	was: KnownResponse | undefined,
	record: IDataObject,
	{ events, abandonedAfterMs, nowMs, sinceMs }: Rules,
): Step {
	const createdAtMs = getCreationTime(record);
	const standing = was?.kind ?? ((createdAtMs ?? 0) >= sinceMs ? 'new' : 'old');
	if (!isIncomplete(record)) {
		const event = ['old', 'complete'].includes(standing) ? undefined : 'responseCompleted';
		return { event, known: keep(was, 'complete') };
	}
	if (standing === 'complete' || standing === 'abandoned') return { known: keep(was, standing) };
	const event =
		standing === 'new' && events.includes('responseStarted') ? 'responseStarted' : undefined;
	if (!events.includes('responseAbandoned')) return { event, known: keep(was, 'incomplete') };
	const waiting =
		was?.kind === 'waiting' && !was.isMissing
			? was
			: describeKnown('waiting', toMinute(Math.min(createdAtMs ?? nowMs, nowMs)));
	const abandonedAtMs = waiting.sinceMinute * MINUTE_MS + abandonedAfterMs;
	// one event at a time: if it was also abandoned since the last poll, the next poll emits that
	if (nowMs < abandonedAtMs || event !== undefined) return { event, known: waiting };
	// a response that was abandoned before the trigger began or before the event was chosen starts nothing
	const startsWorkflow = ['new', 'waiting'].includes(standing);
	const known = describeKnown('abandoned');
	return { event: startsWorkflow ? 'responseAbandoned' : undefined, known };
}

/** The same value if nothing has changed, so that states can be compared by identity. */
function keep(was: KnownResponse | undefined, kind: KnownResponse['kind']): KnownResponse {
	return was?.kind === kind && !was.isMissing ? was : describeKnown(kind);
}

/** The most names of attributes that an error lists. */
const MAX_NAMES = 30;

/** A response that could not be told from the next. */
function createIdentityError(node: INode, record: IDataObject) {
	const names = Object.keys(record).slice(0, MAX_NAMES).join(', ') || 'none';
	return new ServiceError(node, {
		message: 'Form Service sent a response without a UUID',
		description: `The response has no valid "uuid" or "id". Its attributes: ${names}. ${CHECK_VERSION}`,
		failure: { cause: 'configuration-invalid' },
	});
}
