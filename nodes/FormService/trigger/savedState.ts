import type { IDataObject } from 'n8n-workflow';
import { isEqual, omit } from 'lodash';
import { z } from 'zod';
import type { FormState, Knowledge } from './knowledge';
import { decodeState, encodeState } from './stateCodec';
import type { State } from './stateCodec';

/**
 * What n8n has kept of a trigger, and what counts if it has not.
 *
 * n8n keeps what a poll with items changed. What a poll without items changed is not always kept: the
 * default mode loses the change when the workflow is published again, and durable cursors discard what
 * the poll at activation changed. So the process remembers what the last poll left, and what a poll with
 * items began from, which counts again if n8n discards the items. An example, S0 being empty:
 *
 * | poll                      | n8n provides | the poll leaves | n8n keeps | continues from    |
 * |---------------------------|--------------|-----------------|-----------|-------------------|
 * | activation, no items      | S0           | S1              | S0        | S0                |
 * | scheduled, no items       | S0           | S2              | S2        | S1, as remembered |
 * | with items, discarded     | S2           | S3              | S2        | S2                |
 * | with items                | S2           | S4              | S4        | S2, as remembered |
 * | scheduled                 | S4           |                 |           | S4                |
 *
 * A process that has lost its memory continues from the static data alone: a poll is then repeated, and
 * none is skipped.
 */
const KEY = 'state';

/** What the process remembers of the last poll that changed something. */
export type StateMemory = {
	last?: {
		/** What the poll left. */
		saved: State;
		/** What counts if n8n has not kept it: the same, or what a poll with items began from. */
		fallback: State;
		/** When items were handed to n8n, which may still be saving them. */
		deliveredAtMs?: number;
	};
};

/**
 * The state to continue from: n8n has `kept` what the last poll left, or it has `discarded` that, or it
 * provides a `foreign` state, such as that of an earlier process.
 */
export type LoadedState =
	| { kind: 'kept' | 'discarded' | 'foreign'; state: State }
	| { kind: 'nothing' }
	| { kind: 'damage' };

/** @param service the name of the service, see `identifyService` */
export function loadState(
	staticData: IDataObject,
	{ last }: StateMemory,
	service: string,
): LoadedState {
	const saved = staticData[KEY];
	const { count = 0, mark } = readMark(saved) ?? {};
	if (last !== undefined) {
		const { saved: left, fallback } = last;
		if (mark === left.mark) return { kind: 'kept', state: left };
		const isOlder = count < fallback.count || mark === fallback.mark;
		if (isOlder) return { kind: 'discarded', state: fallback };
	}
	if (saved === undefined) return { kind: 'nothing' };
	const state = decodeState(saved, service);
	if (state !== undefined) return { kind: 'foreign', state };
	return last === undefined ? { kind: 'damage' } : { kind: 'discarded', state: last.fallback };
}

/** What a poll has found out. */
export type PollResult = {
	/** What is known after the poll. */
	after: Knowledge;
	/** What counts if n8n discards the items of this poll; undefined if there are none. */
	before?: Knowledge;
};

/**
 * Puts the state that a poll leaves into the static data. To be called last: n8n may save at any time.
 * If nothing has changed, the static data is only brought up to date: n8n may have discarded the state.
 *
 * @param loaded what the poll continued from
 * @param createMark a text at random
 */
export function saveState(
	staticData: IDataObject,
	memory: StateMemory,
	loaded: LoadedState,
	{ after, before }: PollResult,
	nowMs: number,
	createMark: () => string,
): void {
	const provided = readMark(staticData[KEY]);
	const left = memory.last?.saved;
	const count = Math.max(provided?.count ?? 0, left?.count ?? 0) + 1;
	const toState = (knowledge: Knowledge): State =>
		'state' in loaded && isSame(loaded.state, knowledge)
			? loaded.state
			: { ...knowledge, count, mark: createMark() };
	const fallback = toState(before ?? after);
	const saved =
		before === undefined ? fallback : { ...after, count: count + 1, mark: createMark() };
	const deliveredAtMs = before === undefined ? undefined : nowMs;
	if (saved !== left) memory.last = { saved, fallback, deliveredAtMs };
	if (saved.mark !== provided?.mark) staticData[KEY] = encodeState(saved);
}

/** After this time, n8n has not taken the last delivery if the static data is still older. */
const DELIVERY_MS = 30_000;

/**
 * Whether n8n may still be saving the last delivery. With durable cursors each poll gets a copy of the
 * saved state, and a poll that overlaps the one before it can get an old one.
 */
export function isDeliveryUnderWay(
	staticData: IDataObject,
	{ last }: StateMemory,
	nowMs: number,
): boolean {
	if (last?.deliveredAtMs === undefined) return false;
	if (Math.abs(nowMs - last.deliveredAtMs) >= DELIVERY_MS) return false;
	return (readMark(staticData[KEY])?.count ?? 0) < last.saved.count;
}

/** The count and mark that distinguish a trigger's states; undefined if the text is not a state of this version. */
function readMark(saved: unknown): Pick<State, 'count' | 'mark'> | undefined {
	return z.object({ count: z.number(), mark: z.string() }).safeParse(saved).data;
}

/** Compares what is known of responses by identity: entry by entry, it would take as long as a poll. */
function isSame(one: State, other: Knowledge): boolean {
	return (
		one.service === other.service &&
		one.listedSinceMs === other.listedSinceMs &&
		one.isListed === other.isListed &&
		one.isRepairing === other.isRepairing &&
		one.forms.size === other.forms.size &&
		[...one.forms].every(([id, form]) => isSameForm(form, other.forms.get(id)))
	);
}

function isSameForm(one: FormState, other: FormState | undefined): boolean {
	if (one === other) return true;
	if (other === undefined || one.known !== other.known) return false;
	return isEqual(omit(one, 'known'), omit(other, 'known'));
}
