import type { IDataObject, INode } from 'n8n-workflow';
import { identityOf, saysYes } from '../api/records';
import type { Listing } from '../api/replies/list';
import type { Edge } from './edge';
import { withoutIdentity } from './errors';
import { Fingerprints } from './fingerprint';
import { KnownResponses, REMEMBERED_DAYS, status, toEpochMs, toMinutes } from './knownResponses';
import type { Status } from './knownResponses';
import { createdAt } from '../api/answers/order';
import { DAY_MS } from './schedule';

/** What a response can start a workflow with. */
export type ResponseEvent = 'responseCompleted' | 'responseStarted' | 'responseAbandoned';

/** What starts a workflow, and the values of the node's parameter Trigger On. */
export type TriggerEvent = ResponseEvent | 'formCreated';

/** What one poll has read of a listing: cut, it does not show that something has left. */
export type PollListing = Pick<Listing, 'records' | 'complete'> &
	Partial<Listing> & {
		/** It was a short poll, which shows of the listing what is enough for now; and what it leaves. */
		short?: { edge: Edge | undefined };
	};

/** An event of a response that is in the listing, under its number in the diff. */
export type Found = { event: ResponseEvent; record: IDataObject; number: number };

export type Diff = {
	/** What has happened since the last poll, in the order of the listing. */
	found: Found[];
	/** What is known from now on, but for events that are postponed: their responses stay as they were. */
	after(postponed: readonly Found[]): KnownResponses;
};

export type Rules = {
	node: INode;
	events: readonly TriggerEvent[];
	abandonedAfterMs: number;
	/** Epoch milliseconds. */
	now: number;
};

/**
 * Compares a listing with what is known. Each response gives each event once, however often, in
 * whatever order and on how many pages the listing has it:
 * `responseCompleted` when it is complete and was not known to be; `responseStarted` when it is seen
 * for the first time and incomplete; `responseAbandoned` when it has been incomplete for so long. A
 * response that left the listing is remembered for 30 days, so that a listing that is empty or short
 * for a while makes nothing fire again.
 *
 * @param known undefined when the trigger begins with this listing: all in it counts as known
 * @throws NodeApiError when a response has no identity: it could not be told from the next, and to
 * leave it out would lose it
 */
export function diff(known: KnownResponses | undefined, listing: PollListing, rules: Rules): Diff {
	const { records, complete } = listing;
	const before = known ?? new KnownResponses(0);
	const numbers = new Fingerprints(before.size + records.length);
	numbers.addAll(before.fingerprints);
	const shown = recordsByNumber(numbers, records, rules.node);
	const day = Math.floor(rules.now / DAY_MS);

	const stepOf = (number: number, index: number): Step => {
		const record = records[index];
		if (!isIncomplete(record)) {
			const isNew = number >= before.size || before.statuses[number] !== status.complete;
			const event = known !== undefined && isNew ? 'responseCompleted' : undefined;
			return { event, after: status.complete, since: 0 };
		}
		if (number >= before.size) return firstStep(record, known !== undefined, rules);
		return nextStep(before.statuses[number] as Status, before.waitingSince[number], record, rules);
	};

	const found: Found[] = [];
	for (let number = 0; number < numbers.size; number++) {
		const index = shown[number];
		if (index === NOT_SHOWN) continue;
		const { event } = stepOf(number, index);
		if (event !== undefined && rules.events.includes(event)) {
			found.push({ event, record: records[index], number });
		}
	}

	const after = (postponed: readonly Found[]): KnownResponses => {
		const later = new Set(postponed.map(({ number }) => number));
		const isForgotten = (number: number) =>
			complete &&
			before.missingSince[number] > 0 &&
			day - before.missingSince[number] > REMEMBERED_DAYS;
		const isKept = (number: number) =>
			shown[number] === NOT_SHOWN
				? !isForgotten(number)
				: number < before.size || !later.has(number);
		let size = 0;
		for (let number = 0; number < numbers.size; number++) if (isKept(number)) size += 1;
		const next = new KnownResponses(size);
		for (let number = 0, at = 0; number < numbers.size; number++) {
			if (!isKept(number)) continue;
			const index = shown[number];
			numbers.copy(number, next.fingerprints, 2 * at);
			if (index === NOT_SHOWN || later.has(number)) {
				next.statuses[at] = before.statuses[number];
				next.waitingSince[at] = before.waitingSince[number];
			} else {
				const { after: nextStatus, since } = stepOf(number, index);
				next.statuses[at] = nextStatus;
				next.waitingSince[at] = since;
			}
			if (index === NOT_SHOWN) {
				next.missingSince[at] = before.missingSince[number] || (complete ? day : 0);
			}
			at += 1;
		}
		return next;
	};
	return { found, after };
}

/** `is_incomplete` (specification, section 2.4). */
export function isIncomplete({ is_incomplete: value }: IDataObject): boolean {
	return saysYes(value);
}

const NOT_SHOWN = -1;

/** Where in the listing each numbered response is; of two of its records, the one that is complete. */
function recordsByNumber(
	numbers: Fingerprints,
	records: readonly IDataObject[],
	node: INode,
): Int32Array {
	const shown = new Int32Array(numbers.size + records.length).fill(NOT_SHOWN);
	records.forEach((record, index) => {
		const identity = identityOf(record);
		if (identity === undefined) throw withoutIdentity(node, record);
		const number = numbers.numberOf(identity);
		const isBetter = shown[number] === NOT_SHOWN || isIncomplete(records[shown[number]]);
		if (isBetter) shown[number] = index;
	});
	return shown;
}

/** What an incomplete response does next: an event, if it is chosen, and what is known of it then. */
type Step = { event?: ResponseEvent; after: Status; since: number };

/** @param isNew whether it came after the trigger's beginning */
function firstStep(record: IDataObject, isNew: boolean, rules: Rules): Step {
	const wait = waitOf(record, rules);
	if (wait === undefined)
		return { event: isNew ? 'responseStarted' : undefined, after: 1, since: 0 };
	const { since, isOver } = wait;
	const waiting = { after: status.waiting, since };
	if (!isNew) return isOver ? { after: status.abandoned, since: 0 } : waiting;
	// one event at a time: what was begun and abandoned since the last poll is told so by the next
	if (rules.events.includes('responseStarted')) return { event: 'responseStarted', ...waiting };
	return isOver ? { event: 'responseAbandoned', after: status.abandoned, since: 0 } : waiting;
}

function nextStep(before: Status, since: number, record: IDataObject, rules: Rules): Step {
	const wait = waitOf(record, rules);
	if (before === status.complete || before === status.abandoned) return { after: before, since: 0 };
	if (wait === undefined) return { after: status.incomplete, since: 0 };
	if (before === status.waiting) {
		return isOver(since, rules)
			? { event: 'responseAbandoned', after: status.abandoned, since: 0 }
			: { after: status.waiting, since };
	}
	// Response Abandoned was chosen later: what had happened by then starts nothing
	return wait.isOver
		? { after: status.abandoned, since: 0 }
		: { after: status.waiting, since: wait.since };
}

/** Since when an incomplete response waits to be told as abandoned; undefined where none is. */
function waitOf(record: IDataObject, rules: Rules) {
	if (!rules.events.includes('responseAbandoned')) return undefined;
	const since = toMinutes(Math.min(createdAt(record) ?? rules.now, rules.now));
	return { since, isOver: isOver(since, rules) };
}

function isOver(since: number, { now, abandonedAfterMs }: Rules): boolean {
	return now >= toEpochMs(since) + abandonedAfterMs;
}
