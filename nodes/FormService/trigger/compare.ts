import type { IDataObject, INode } from 'n8n-workflow';
import { createdAt } from '../api/answers/order';
import { readBoolean } from '../api/readers';
import { identitiesOf, identityOf } from '../api/records';
import { withoutIdentity } from './errors';
import {
	epochMsToMinutes,
	fingerprint,
	Fingerprints,
	KnownResponses,
	minutesToEpochMs,
	REMEMBERED_DAYS,
	status,
} from './knownResponses';
import type { Status } from './knownResponses';
import { DAY_MS } from './schedule';

/** The events of a response. */
export const RESPONSE_EVENTS = [
	'responseCompleted',
	'responseStarted',
	'responseAbandoned',
] as const;
export type ResponseEvent = (typeof RESPONSE_EVENTS)[number];

/** What starts a workflow, and the values of the node's parameter Trigger On. */
export const EVENTS = ['formCreated', ...RESPONSE_EVENTS] as const;
export type TriggerEvent = (typeof EVENTS)[number];

/** An event of a response of the listing, with the response's number in the comparison. */
export type Found = { event: ResponseEvent; record: IDataObject; number: number };

export type Rules = {
	node: INode;
	events: readonly TriggerEvent[];
	abandonedAfterMs: number;
	/** Epoch milliseconds. */
	now: number;
	/**
	 * On a form's first reading, a response that was created then or later is new. Epoch milliseconds
	 * of the service; undefined if all responses of that reading are known.
	 */
	since?: number;
};

/** A listing, or a part of it, beside what was known before. */
export type Comparison = {
	/** What has happened since, in no particular order. */
	found: Found[];
	/** Undefined on the first reading of a form. */
	before: KnownResponses | undefined;
	records: readonly IDataObject[];
	isWhole: boolean;
	rules: Rules;
	/** All responses, those that were known before first. */
	numbers: Fingerprints;
	/** For each number, where the response is in `records`, or NOT_LISTED. */
	listed: Int32Array;
	/** Responses that were known by another identity than their present one. */
	renamed: ReadonlyMap<number, string>;
};

/**
 * Compares a listing with what is known. Each response gives each event once, however often, in whatever
 * order and on however many pages it is listed: `responseCompleted` if it is complete and was not known
 * to be; `responseStarted` if it is new and incomplete; `responseAbandoned` if it has been incomplete
 * for long enough.
 *
 * @param before undefined on the first reading of a form
 * @param isWhole false for a part of the listing, which does not show that a response has left
 * @throws NodeApiError if a response has no identity: it could not be told from the next
 */
export function compare(
	before: KnownResponses | undefined,
	records: readonly IDataObject[],
	isWhole: boolean,
	rules: Rules,
): Comparison {
	const numbers = new Fingerprints((before?.size ?? 0) + records.length);
	if (before !== undefined) numbers.addAll(before.fingerprints);
	const { listed, renamed } = listedByNumber(numbers, records, rules.node);
	const found: Found[] = [];
	const comparison = { found, before, records, isWhole, rules, numbers, listed, renamed };
	for (let number = 0; number < numbers.size; number++) {
		if (listed[number] === NOT_LISTED) continue;
		const { event } = stepOf(comparison, number);
		if (event === undefined || !rules.events.includes(event)) continue;
		found.push({ event, record: records[listed[number]], number });
	}
	return comparison;
}

/**
 * What is known after a comparison, except for events that are postponed: their responses stay as they
 * were. A response that has left the listing is remembered for 30 days, so that a listing that is empty
 * or short for a while repeats nothing.
 *
 * @returns `before` itself if nothing has changed
 */
export function knownAfter(comparison: Comparison, postponed: readonly Found[]): KnownResponses {
	const { numbers, isWhole, rules, listed, renamed } = comparison;
	const before = comparison.before ?? NOTHING;
	const later = new Set(postponed.map(({ number }) => number));
	const day = Math.floor(rules.now / DAY_MS);
	const kept: number[] = [];
	for (let number = 0; number < numbers.size; number++) {
		const missingSince = number < before.size ? before.missingSince[number] : 0;
		const isForgotten = isWhole && missingSince > 0 && day - missingSince > REMEMBERED_DAYS;
		const isNew = number >= before.size;
		const isKept = listed[number] === NOT_LISTED ? !isForgotten : !isNew || !later.has(number);
		if (isKept) kept.push(number);
	}
	const after = new KnownResponses(kept.length);
	kept.forEach((number, at) => {
		const identity = renamed.get(number);
		if (identity === undefined) numbers.copy(number, after.fingerprints, 2 * at);
		else fingerprint(identity, after.fingerprints, 2 * at);
		const isListed = listed[number] !== NOT_LISTED;
		const { status: next, since } =
			isListed && !later.has(number)
				? stepOf(comparison, number)
				: { status: before.statuses[number], since: before.waitingSince[number] };
		after.statuses[at] = next;
		after.waitingSince[at] = since;
		if (!isListed) after.missingSince[at] = before.missingSince[number] || (isWhole ? day : 0);
	});
	return comparison.before?.equals(after) ? comparison.before : after;
}

const NOTHING = new KnownResponses(0);

/** `is_incomplete` (specification, section 2.4). */
export function isIncomplete({ is_incomplete: value }: IDataObject): boolean {
	return readBoolean(value) === true;
}

const NOT_LISTED = -1;

/**
 * Finds the number of each record, by any of its identities: a service that adds a `uuid` beside the
 * `id` shows no new responses. If a response is listed twice, its complete record counts.
 */
function listedByNumber(
	numbers: Fingerprints,
	records: readonly IDataObject[],
	node: INode,
): Pick<Comparison, 'listed' | 'renamed'> {
	const listed = new Int32Array(numbers.size + records.length).fill(NOT_LISTED);
	const renamed = new Map<number, string>();
	records.forEach((record, index) => {
		const identity = identityOf(record);
		if (identity === undefined) throw withoutIdentity(node, record);
		const known = numbers.find(identity);
		const others = known === undefined ? identitiesOf(record).slice(1) : [];
		const former = others.map((one) => numbers.find(one)).find((number) => number !== undefined);
		if (former !== undefined) renamed.set(former, identity);
		const number = known ?? former ?? numbers.numberOf(identity);
		const isBetter = listed[number] === NOT_LISTED || isIncomplete(records[listed[number]]);
		if (isBetter) listed[number] = index;
	});
	return { listed, renamed };
}

/** An event, if there is one, and what is known of the response from then on. */
type Step = { event?: ResponseEvent; status: Status; since: number };

/** What happens to a listed response. */
function stepOf({ before, records, listed, rules }: Comparison, number: number): Step {
	const { events, abandonedAfterMs, now } = rules;
	const record = records[listed[number]];
	const isKnown = before !== undefined && number < before.size;
	const was = isKnown ? (before.statuses[number] as Status) : undefined;
	const isFirst = before === undefined;
	const isOld = isFirst && (createdAt(record) ?? -Infinity) < (rules.since ?? Infinity);
	const isNew = !isKnown && !isOld;
	if (!isIncomplete(record)) {
		const isSame = isOld || was === status.complete;
		return { event: isSame ? undefined : 'responseCompleted', status: status.complete, since: 0 };
	}
	if (was === status.complete || was === status.abandoned) return { status: was, since: 0 };
	const event = isNew && events.includes('responseStarted') ? 'responseStarted' : undefined;
	if (!events.includes('responseAbandoned')) return { event, status: status.incomplete, since: 0 };
	const since =
		isKnown && was === status.waiting
			? before.waitingSince[number]
			: epochMsToMinutes(Math.min(createdAt(record) ?? now, now));
	const isOver = now >= minutesToEpochMs(since) + abandonedAfterMs;
	// one event at a time: if it was also abandoned since the last poll, the next poll emits that
	if (!isOver || event !== undefined) return { event, status: status.waiting, since };
	// a response that was abandoned before the trigger began or before the event was chosen starts nothing
	const isNews = isNew || was === status.waiting;
	return { event: isNews ? 'responseAbandoned' : undefined, status: status.abandoned, since: 0 };
}
