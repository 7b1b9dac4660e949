import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../api/records';
import type { TriggerMemory } from './memory';
import { restore, saveAfter } from './savedSeen';
import type { Restored, State } from './savedSeen';

/** The key of the trigger's state in n8n's static data of the node. */
const KEY = 'seen';

/**
 * The state to go on from. n8n does not keep all that a poll without items changes: in its default
 * mode that is lost when the workflow is published again, with durable cursors what the activation
 * poll changed is thrown away. So while the static data is one of the states that such polls began
 * with, the process's own memory of where they ended stands in; anything else is newer than it.
 */
export function recall(staticData: IDataObject, own: Pick<TriggerMemory, 'unsaved'>): Restored {
	return restore(latest(staticData, own));
}

function latest(staticData: IDataObject, { unsaved }: Pick<TriggerMemory, 'unsaved'>): unknown {
	const saved = staticData[KEY];
	return unsaved?.from.has(digestOf(saved)) ? unsaved.saved : saved;
}

/** Whether there is a state for this form of this service to go on from. */
export function knows(
	staticData: IDataObject,
	own: Pick<TriggerMemory, 'unsaved'>,
	source: string,
): boolean {
	const restored = recall(staticData, own);
	return restored.kind === 'state' && restored.state.source === source;
}

/**
 * Puts a state that only the process knows into the static data, for a poll that does not look: with
 * durable cursors n8n saves what each tick changes, and a restart before the next look loses nothing.
 */
export function saveUnsaved(staticData: IDataObject, own: Pick<TriggerMemory, 'unsaved'>): void {
	const known = latest(staticData, own);
	if (known !== staticData[KEY]) staticData[KEY] = known as IDataObject;
}

/** States that are remembered to have led to the present one: more than come between two deliveries. */
const MAX_STEPS = 1_000;

/** Puts the state into the static data, if it has changed. To be called last: n8n may save at any time. */
export function keep(
	staticData: IDataObject,
	own: TriggerMemory,
	state: Omit<State, 'revision'>,
	{ delivered, backlog, now }: { delivered: boolean; backlog: IDataObject[]; now: number },
): void {
	const before = digestOf(staticData[KEY]);
	const saved = saveAfter(latest(staticData, own), state);
	const after = digestOf(saved);
	if (delivered) own.handedOver = { from: before, at: now };
	else own.unsaved = { from: stepsTo(before, own.unsaved), saved };
	own.backlog = { records: backlog, state: after };
	if (after !== before) staticData[KEY] = saved;
}

/** The states that have led to `before` without a delivery in between, and that itself. */
function stepsTo(before: string, unsaved: TriggerMemory['unsaved']): ReadonlySet<string> {
	const goesOn =
		unsaved !== undefined && (unsaved.from.has(before) || digestOf(unsaved.saved) === before);
	const steps = goesOn ? [...unsaved.from, before] : [before];
	return new Set(steps.slice(-MAX_STEPS));
}

/** What the last look found and had no room for, if n8n has written down what that look delivered. */
export function backlogOf(
	staticData: IDataObject,
	{ backlog }: Pick<TriggerMemory, 'backlog'>,
): IDataObject[] {
	return backlog?.state === digestOf(staticData[KEY]) ? backlog.records : [];
}

/**
 * After this time, a state that n8n has not replaced by the one of the last delivery is taken for
 * what it is: n8n did not take the delivery.
 */
const HAND_OVER_MS = 30_000;

/**
 * Whether n8n may still be writing down what the last look delivered. With durable cursors each
 * poll gets a copy of the saved state, and a poll that overlaps the one before can get an old one.
 */
export function isHandingOver(
	staticData: IDataObject,
	{ handedOver }: Pick<TriggerMemory, 'handedOver'>,
	now: number,
): boolean {
	return (
		handedOver !== undefined &&
		handedOver.from === digestOf(staticData[KEY]) &&
		now - handedOver.at < HAND_OVER_MS
	);
}

/** Equal for equal values; some databases give the keys of an object back in another order. */
function digestOf(saved: unknown): string {
	if (saved === undefined || saved === null) return '';
	const text = JSON.stringify(saved, isRecord(saved) ? Object.keys(saved).sort() : undefined);
	return createHash('sha256').update(text).digest('base64');
}
