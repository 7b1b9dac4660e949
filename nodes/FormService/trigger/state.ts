import { isEqual } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { fromSaved, stampOf, toSaved } from './stateCodec';
import type { FormState, Restored, State } from './stateCodec';

/**
 * The state between n8n's static data and the process.
 *
 * n8n keeps what a poll with items changed. What a poll without items changed it does not always keep:
 * its default mode loses that when the workflow is published again, and durable cursors discard what the
 * poll at activation changed. So the process remembers the last such state, and of the remembered and
 * the saved one the later counts. An example, S0 being empty:
 *
 * | poll                      | n8n provides | the poll leaves | n8n keeps | remembered | continues from |
 * |---------------------------|--------------|-----------------|-----------|------------|----------------|
 * | activation, no items      | S0           | S1              | S0        | S1         | S0             |
 * | scheduled, no items       | S0           | S2              | S2        | S2         | S1             |
 * | with items, discarded     | S2           | S3              | S2        | S2         | S2             |
 * | with items                | S2           | S4              | S4        | S2         | S2             |
 * | scheduled                 | S4           |                 |           |            | S4             |
 *
 * A process that has lost its memory continues from the static data alone: a poll is then repeated, and
 * none is skipped.
 */

/** The key of the state in the node's static data. */
const KEY = 'state';

/** What the process remembers of a trigger's state. */
export type StateMemory = {
	/** The last state that was left without items, and the damaged one that it replaces, if any. */
	unsaved?: { state: State; saved: IDataObject; replaces?: unknown };
	/** What was last read or written: its content need not be decoded again. */
	latest?: State & { checksum: string };
	/** The state of the last delivery, which n8n may still be saving, and when that began. */
	delivery?: { savedAt: number; at: number };
};

/** The state to continue from. */
export function loadState(staticData: IDataObject, memory: StateMemory): Restored {
	const saved = staticData[KEY];
	const restored = restore(saved, memory);
	const { unsaved } = memory;
	if (unsaved === undefined) return restored;
	const isLater =
		restored.kind === 'damaged'
			? isEqual(unsaved.replaces, saved)
			: restored.kind === 'none' || unsaved.state.savedAt > restored.state.savedAt;
	return isLater ? { kind: 'state', state: unsaved.state } : restored;
}

function restore(saved: unknown, memory: StateMemory): Restored {
	const stamp = stampOf(saved);
	const { latest } = memory;
	if (latest?.savedAt === stamp?.savedAt && latest?.checksum === stamp?.checksum && latest) {
		return { kind: 'state', state: latest };
	}
	const restored = fromSaved(saved);
	if (restored.kind === 'state' && stamp !== undefined) {
		memory.latest = { ...restored.state, checksum: stamp.checksum };
	}
	return restored;
}

/**
 * Puts a state that n8n may not have saved into the static data, in a poll that leaves none of its own:
 * with durable cursors, n8n saves what a scheduled poll changes, and a restart then loses nothing.
 */
export function saveUnsaved(staticData: IDataObject, memory: StateMemory): void {
	const { unsaved } = memory;
	const restored = loadState(staticData, memory);
	if (unsaved !== undefined && restored.kind === 'state' && restored.state === unsaved.state) {
		staticData[KEY] = unsaved.saved;
	}
}

export type Outcome = Omit<State, 'savedAt'> & {
	/** What is known without the items of this poll: n8n may discard them. Undefined if there are no items. */
	formsIfDiscarded?: ReadonlyMap<string, FormState>;
	/** What this poll continued from. */
	base: Restored;
	/** Epoch milliseconds. */
	now: number;
};

/** Puts a new state into the static data. To be called last: n8n may save at any time. */
export function saveState(
	staticData: IDataObject,
	memory: StateMemory,
	{ formsIfDiscarded, base, now, ...content }: Outcome,
): void {
	const replaces = damagedIn(staticData, memory, base);
	const before = Math.max(
		stampOf(staticData[KEY])?.savedAt ?? 0,
		memory.unsaved?.state.savedAt ?? 0,
		memory.delivery?.savedAt ?? 0,
	);
	const savedAt = Math.max(Math.floor(now), before + 1);
	const withoutItems = { ...content, forms: formsIfDiscarded ?? content.forms, savedAt };
	const isChanged =
		base.kind !== 'state' || !isEqual(contentOf(base.state), contentOf(withoutItems));
	if (isChanged) {
		memory.unsaved = { state: withoutItems, saved: toSaved(withoutItems), replaces };
	}
	const state =
		formsIfDiscarded === undefined ? withoutItems : { ...content, savedAt: savedAt + 1 };
	if (formsIfDiscarded === undefined && !isChanged) return;
	const saved = toSaved(state);
	if (formsIfDiscarded !== undefined) memory.delivery = { savedAt: state.savedAt, at: now };
	memory.latest = { ...state, checksum: String(saved.checksum) };
	staticData[KEY] = saved;
}

/** The damaged state in the static data, which n8n may provide again; undefined if there is none. */
function damagedIn(staticData: IDataObject, { unsaved }: StateMemory, base: Restored): unknown {
	const saved = staticData[KEY];
	// a database may give the keys back in another order
	const isDamaged = base.kind === 'damaged' || isEqual(saved, unsaved?.replaces);
	return isDamaged ? saved : undefined;
}

/** A state without its time, to compare. */
function contentOf({ service, listedSince, forms }: State) {
	const all = [...forms].map(([id, { known, since, missingSince }]) => {
		return [id, known, since, missingSince];
	});
	return [service, listedSince, all];
}

/** After this time, n8n has not taken the last delivery if the static data is still older. */
const DELIVERY_MS = 30_000;

/**
 * Whether n8n may still be saving the last delivery. With durable cursors each poll gets a copy of the
 * saved state, and a poll that overlaps the one before it can get an old one.
 */
export function isDeliveryUnderWay(
	staticData: IDataObject,
	{ delivery }: StateMemory,
	now: number,
): boolean {
	if (delivery === undefined || Math.abs(now - delivery.at) >= DELIVERY_MS) return false;
	return (stampOf(staticData[KEY])?.savedAt ?? 0) < delivery.savedAt;
}
