import { groupBy, sortBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { sortOldestFirst } from '../api/answers/order';
import type { FoundEvent } from './compare';

/**
 * The events that were found and that n8n has not kept yet. An event waits until a poll has room for it;
 * then it is taken, and leaves when the next poll shows that n8n has kept it.
 */
export type Outbox = {
	/** By form, and the events of a form by fingerprint, in the order of delivery. */
	readonly waiting: Map<string, Map<string, WaitingEvent>>;
	/** When each form last had its turn: the lowest number comes first. */
	readonly turns: Map<string, number>;
	/** Events whose items n8n was given with the last poll. */
	taken: TakenEvent[];
};

export type WaitingEvent = FoundEvent & {
	/** Whether the filters have let it pass; before that, the fields of the form may be missing. */
	isWanted: boolean;
};

export type TakenEvent = WaitingEvent & { formId: string };

export const createOutbox = (): Outbox => ({ waiting: new Map(), turns: new Map(), taken: [] });

const NONE: ReadonlyMap<string, WaitingEvent> = new Map();

/** The events of a form that wait, by fingerprint, in the order of delivery. */
export function listWaiting(outbox: Outbox, formId: string): ReadonlyMap<string, WaitingEvent> {
	return outbox.waiting.get(formId) ?? NONE;
}

/** The most events of a form that wait in memory: they have whole records. */
const MAX_WAITING = 5_000;

/**
 * Adds events of a form to those that wait. A later event of a response replaces an earlier one.
 *
 * @returns how many have no room; a later reading has to find them again
 */
export function addEvents(outbox: Outbox, formId: string, found: readonly FoundEvent[]): number {
	if (found.length === 0) return 0;
	const added = found.map((one) => [one.fingerprint, { ...one, isWanted: false }] as const);
	const all = [...new Map([...listWaiting(outbox, formId), ...added]).values()];
	const inTurn = sortForDelivery(all);
	setWaiting(outbox, formId, inTurn.slice(0, MAX_WAITING));
	return Math.max(0, all.length - MAX_WAITING);
}

/**
 * Puts what was read last into the events that the filters have not let pass yet, which may wait for a field
 * that has another name for a while.
 *
 * @param listed the responses by fingerprint
 */
export function refreshEvents(
	outbox: Outbox,
	formId: string,
	listed: ReadonlyMap<string, IDataObject>,
): void {
	const events = outbox.waiting.get(formId);
	for (const [fingerprint, one] of events ?? []) {
		const record = listed.get(fingerprint);
		if (record !== undefined && !one.isWanted) events?.set(fingerprint, { ...one, record });
	}
}

/** New responses first, and each oldest first. */
function sortForDelivery<T extends FoundEvent>(events: readonly T[]): T[] {
	const sorted = sortOldestFirst(events);
	return [...sorted.filter((one) => !one.isExisting), ...sorted.filter((one) => one.isExisting)];
}

function setWaiting(outbox: Outbox, formId: string, events: readonly WaitingEvent[]): void {
	if (events.length === 0) outbox.waiting.delete(formId);
	else outbox.waiting.set(formId, new Map(events.map((one) => [one.fingerprint, one])));
}

/**
 * Takes note of what the filters say about the events of a form that wait.
 *
 * @param wanted the fingerprints of those that start the workflow
 * @returns the others, which are dropped
 */
export function sortOut(
	outbox: Outbox,
	formId: string,
	wanted: ReadonlySet<string>,
): WaitingEvent[] {
	const all = [...listWaiting(outbox, formId).values()];
	const dropped = all.filter(({ fingerprint }) => !wanted.has(fingerprint));
	const kept = all.filter(({ fingerprint }) => wanted.has(fingerprint));
	setWaiting(
		outbox,
		formId,
		kept.map((one) => ({ ...one, isWanted: true })),
	);
	return dropped;
}

/** Other filters are chosen: what waits is held against them, and so is what n8n may have discarded. */
export function recheckEvents(outbox: Outbox): void {
	outbox.taken = outbox.taken.map((one) => ({ ...one, isWanted: false }));
	for (const events of outbox.waiting.values()) {
		for (const [fingerprint, one] of events) events.set(fingerprint, { ...one, isWanted: false });
	}
}

/**
 * Takes events for a poll. The forms take turns for room: each gets one place after another, and a form
 * that got items goes behind those that wait, see `advanceTurn`.
 *
 * @param formIds the forms whose events can be delivered now
 * @param room the most events
 * @returns the events by form, oldest first
 */
export function takeEvents(
	outbox: Outbox,
	formIds: ReadonlySet<string>,
	room: number,
): Map<string, TakenEvent[]> {
	const ready = [...outbox.waiting].filter(([formId]) => formIds.has(formId));
	const inTurn = sortBy(ready, ([formId]) => outbox.turns.get(formId) ?? 0);
	const queues = inTurn.map(([formId, events]) => ({
		formId,
		events: [...events.values()],
		count: 0,
	}));
	let left = room;
	for (let active = queues; left > 0 && active.length > 0; ) {
		for (const queue of active.slice(0, left)) queue.count += 1;
		left -= Math.min(left, active.length);
		active = active.filter(({ events, count }) => count < events.length);
	}
	const taken = new Map<string, TakenEvent[]>();
	for (const { formId, events, count } of queues) {
		if (count === 0) continue;
		const own = sortOldestFirst(events.slice(0, count).map((one) => ({ ...one, formId })));
		taken.set(formId, own);
		outbox.taken.push(...own);
		setWaiting(outbox, formId, events.slice(count));
	}
	return taken;
}

/** Puts taken events back, because they could not be made into items, or because n8n discarded them. */
export function takeBack(outbox: Outbox, events: readonly TakenEvent[] = outbox.taken): void {
	const returned = new Set(events);
	outbox.taken = outbox.taken.filter((one) => !returned.has(one));
	for (const [formId, own] of Object.entries(groupBy(events, 'formId'))) {
		const later = listWaiting(outbox, formId);
		// what was found of a response since counts
		const earlier = own.filter(({ fingerprint }) => !later.has(fingerprint));
		setWaiting(outbox, formId, sortForDelivery([...earlier, ...later.values()]));
	}
}

/** Items were made of events of this form: it goes behind the others. */
export function advanceTurn({ turns }: Outbox, formId: string): void {
	turns.set(formId, Math.max(0, ...turns.values()) + 1);
}

/** n8n has kept what was taken. */
export function confirmTaken(outbox: Outbox): void {
	outbox.taken = [];
}

/** Forgets the events of forms that are not watched any more. */
export function keepEvents({ waiting, turns }: Outbox, watchedIds: ReadonlySet<string>): void {
	for (const map of [waiting, turns]) {
		for (const formId of map.keys()) if (!watchedIds.has(formId)) map.delete(formId);
	}
}
