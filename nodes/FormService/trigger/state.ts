import type { IDataObject } from 'n8n-workflow';
import type { TriggerMemory } from './memory';
import { digestOf, fromSaved, toSaved } from './stateCodec';
import type { Restored, State } from './stateCodec';

/**
 * The state between n8n's static data and the process.
 *
 * n8n keeps what a poll with items changed. What a poll without items changed it does not always
 * keep: in its default mode that is lost when the workflow is published again, and with durable
 * cursors what the activation poll changed is thrown away. So the process remembers such a state as
 * pending, with the digests of all that n8n may still hold in its place. An example, S0 being empty:
 *
 * | poll                      | n8n hands over | the poll leaves | n8n keeps | pending then | goes on from |
 * |---------------------------|----------------|-----------------|-----------|--------------|--------------|
 * | activation, no items      | S0             | S1              | S0        | S1 from S0   | S0           |
 * | tick, no items            | S0             | S2              | S2        | S2 from S0   | S1           |
 * | tick with items, dropped  | S2             | S3              | S2        | S2 from S0   | S2           |
 * | tick with items           | S2             | S3              | S3        | S2 from S0   | S2           |
 * | tick                      | S3             |                 |           |              | S3           |
 *
 * While the static data is one that the pending state came from, that state counts; anything else is
 * newer. A process that has lost its memory goes on from the static data alone: a poll is then
 * repeated, and none is skipped.
 */

/** The key of the trigger's state in n8n's static data of the node. */
const KEY = 'state';

/** The state to go on from. */
export function load(staticData: IDataObject, own: TriggerMemory): Restored {
	const saved = latest(staticData, own);
	const digest = digestOf(saved);
	if (own.loaded?.digest === digest) return own.loaded.restored;
	const restored = fromSaved(saved);
	// what is damaged can have the digest of what it was
	own.loaded = restored.kind === 'damaged' ? undefined : { digest, restored };
	return restored;
}

function latest(staticData: IDataObject, { pending }: Pick<TriggerMemory, 'pending'>): unknown {
	const saved = staticData[KEY];
	return pending?.from.has(digestOf(saved)) ? pending.saved : saved;
}

/** The digest of the state to go on from. */
export function latestDigest(staticData: IDataObject, own: TriggerMemory): string {
	return digestOf(latest(staticData, own));
}

/**
 * Puts a pending state into the static data, for a poll that sends nothing: with durable cursors n8n
 * saves what each tick changes, and a restart before the next poll loses nothing.
 */
export function savePending(staticData: IDataObject, own: TriggerMemory): void {
	const known = latest(staticData, own);
	if (known !== staticData[KEY]) staticData[KEY] = known as IDataObject;
}

/** States that are remembered to have led to the present one: more than come between two deliveries. */
const MAX_STEPS = 1_000;

export type Outcome = {
	/** What is known without the items of this poll: n8n may drop them, and then that counts. */
	quiet: Omit<State, 'revision'>;
	/** What is known with them; undefined when there are none. */
	delivered?: Omit<State, 'revision'>;
	/** Whether what is in the static data cannot be used, whatever its digest says. */
	isDamaged: boolean;
	/** Epoch milliseconds. */
	now: number;
};

/** Puts the state into the static data, if it has changed. To be called last: n8n may save at any time. */
export function save(
	staticData: IDataObject,
	own: TriggerMemory,
	{ quiet, delivered, isDamaged, now }: Outcome,
): void {
	const before = digestOf(staticData[KEY]);
	const base = latest(staticData, own);
	const saved = nextSaved(base, quiet);
	if (delivered === undefined || digestOf(saved) !== digestOf(base)) {
		own.pending = { from: stepsTo(before, own.pending), saved };
	}
	if (delivered !== undefined) own.deliveryInFlight = { from: before, at: now };
	const last = delivered === undefined ? saved : nextSaved(saved, delivered);
	own.backlogOf = digestOf(last);
	const state = { ...(delivered ?? quiet), revision: revisionOf(last) };
	own.loaded = { digest: own.backlogOf, restored: { kind: 'state', state } };
	if (isDamaged || own.backlogOf !== before) staticData[KEY] = last;
}

/** The state as n8n keeps it, with the next revision unless it says the same as what was there. */
function nextSaved(before: unknown, content: Omit<State, 'revision'>): IDataObject {
	const revision = revisionOf(before);
	const same = toSaved({ ...content, revision });
	return digestOf(same) === digestOf(before)
		? same
		: toSaved({ ...content, revision: revision + 1 });
}

function revisionOf(saved: unknown): number {
	const { revision } = (saved ?? {}) as { revision?: unknown };
	return typeof revision === 'number' && Number.isSafeInteger(revision) && revision > 0
		? revision
		: 0;
}

/** The states that have led to `before` without a delivery in between, and that itself. */
function stepsTo(before: string, pending: TriggerMemory['pending']): ReadonlySet<string> {
	const goesOn =
		pending !== undefined && (pending.from.has(before) || digestOf(pending.saved) === before);
	const steps = goesOn ? [...pending.from, before] : [before];
	return new Set(steps.slice(-MAX_STEPS));
}

/**
 * After this time, a state that n8n has not replaced by the one of the last delivery is taken for
 * what it is: n8n did not take the delivery.
 */
const IN_FLIGHT_MS = 30_000;

/**
 * Whether n8n may still be writing down what the last poll delivered. With durable cursors each poll
 * gets a copy of the saved state, and a poll that overlaps the one before can get an old one.
 */
export function isDeliveryInFlight(
	staticData: IDataObject,
	{ deliveryInFlight }: Pick<TriggerMemory, 'deliveryInFlight'>,
	now: number,
): boolean {
	return (
		deliveryInFlight !== undefined &&
		deliveryInFlight.from === digestOf(staticData[KEY]) &&
		now - deliveryInFlight.at < IN_FLIGHT_MS
	);
}
