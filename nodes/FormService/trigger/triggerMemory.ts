import { isFormEvent } from '../parameters/watched';
import { createFormList } from './formList';
import type { FormList } from './formList';
import { HEALTHY, recordSuccess } from './health';
import type { AccountHealth, Failing } from './health';
import { createOutbox, recheckEvents } from './outbox';
import type { Outbox } from './outbox';
import type { Parameters } from './parameters';
import type { StateMemory } from './savedState';
import type { Demand } from './budget';
import { setFields } from './watchedForm';
import type { WatchedForm } from './watchedForm';

/** What the process remembers of its triggers. All of it can be lost at any time: the static data counts. */

/** What the process remembers of one trigger. */
export type TriggerMemory = {
	/** What the rest belongs to: with another account, everything starts anew. */
	readonly owner: {
		nodeName: string;
		accountKey?: string;
		parameters?: string;
		/** The parameters that the list of forms is read for. */
		listUse?: string;
	};
	/** See `savedState`. */
	readonly states: StateMemory;
	/** The parameters or the credential could not be used. */
	readonly parameterHealth: Failing;
	accountHealth: AccountHealth;
	outbox: Outbox;
	/** The forms that are watched, by ID. */
	forms: Map<string, WatchedForm>;
	formList: FormList;
	/** Counts the readings of forms, which take turns. */
	turns: number;
	/** How far the service's clock is ahead of this machine's, at most; undefined before the first reply. */
	clockOffsetMs?: number;
	/** The poll that is under way; resolves when it has ended, well or not. */
	polling?: Promise<void>;
};

function createProgress() {
	return {
		accountHealth: { health: HEALTHY, outage: new Map() },
		outbox: createOutbox(),
		forms: new Map<string, WatchedForm>(),
		formList: createFormList(),
		turns: 0,
	};
}

/** The most triggers that are remembered. Beyond it, the one that was not polled for longest is forgotten. */
const MAX_TRIGGERS = 1_000;

const triggers = new Map<string, TriggerMemory>();

/**
 * What is remembered of a trigger.
 *
 * @param key the workflow and node, whatever their names
 * @param nodeName n8n's default mode keeps the static data by this name: a renamed node has none, and must
 * not continue from what the old one left
 */
export function recallTrigger(key: string, nodeName: string): TriggerMemory {
	const memory: TriggerMemory = triggers.get(key) ?? {
		owner: { nodeName },
		states: {},
		parameterHealth: { health: HEALTHY },
		...createProgress(),
	};
	// the last in the map is the one that was polled last
	triggers.delete(key);
	triggers.set(key, memory);
	const [oldest] = triggers.keys();
	if (triggers.size > MAX_TRIGGERS) triggers.delete(oldest);
	if (memory.owner.nodeName !== nodeName) {
		memory.owner.nodeName = nodeName;
		memory.states.last = undefined;
	}
	return memory;
}

/** Forgets a trigger that could not be activated: the next attempt is a first one. */
export function forgetProgress(memory: TriggerMemory): void {
	Object.assign(memory, createProgress());
}

/**
 * Forgets what does not belong to the node any more. After a change of its parameters, what waits is held
 * against the new filters, and fields are read again. If other forms or events of forms are watched, the
 * list of forms is read again: the last one does not say what has changed since.
 */
export function forgetOutdated(
	memory: TriggerMemory,
	accountKey: string,
	{ events, watch, conditions, output }: Parameters,
): void {
	const { owner } = memory;
	const parameters = JSON.stringify([events, watch, conditions, output]);
	const listUse = JSON.stringify([watch, events.filter(isFormEvent)]);
	if (owner.accountKey !== accountKey) forgetProgress(memory);
	else if (owner.parameters !== parameters) {
		if (owner.listUse !== listUse) memory.formList = createFormList();
		recheckEvents(memory.outbox);
		for (const form of memory.forms.values()) {
			setFields(form, undefined);
			recordSuccess(form.delivery, true);
		}
	}
	Object.assign(owner, { accountKey, parameters, listUse });
}

/** What all lists need that triggers of this process read with an account. */
export function listDemands(accountKey: string): Demand[] {
	return [...triggers.values()]
		.filter(({ owner }) => owner.accountKey === accountKey)
		.flatMap(({ formList, forms }) => [formList, ...forms.values()])
		.flatMap(({ demand }) => demand ?? []);
}
