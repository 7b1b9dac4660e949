import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Budget } from './budget';
import type { Dependencies, Trigger } from './dependencies';
import { asNodeError } from '../api/errors';
import { FormPolls } from './formPolls';
import type { Memory, TriggerMemory } from './memory';
import { isDeliveryInFlight, load } from './state';
import { watchedIds } from './watchedForms';

type Items = INodeExecutionData[] | null;

/**
 * n8n 2 activates a workflow again when that failed, five times within 15 seconds, and tells people
 * what the last one said. It gets the same answer each time, for one request.
 */
const ACTIVATION_MS = 20_000;

/**
 * One poll of n8n, which is an opportunity and not an order: reads the forms whose time has come, and
 * gives the items of what is new, or null.
 *
 * @param staticData n8n's static data of the node; changed last, and only by what went well
 * @throws NodeApiError or NodeOperationError that people are to be told of
 */
export async function poll(
	trigger: Trigger,
	staticData: IDataObject,
	memory: Memory,
	deps: Dependencies,
): Promise<Items> {
	const { key, account, service, events, reason } = trigger;
	const own = memory.trigger(key, `${account} ${service} ${events.join()}`, deps.node.name);

	const watched = JSON.stringify([trigger.watch, trigger.conditions]);
	if (own.watched !== watched) {
		// trouble with one form tells nothing of another, nor a backlog of other conditions
		const forms = [...own.forms].filter(([id]) => isChosen(trigger, id));
		for (const [, form] of forms) form.backlog = [];
		Object.assign(own, { watched, toCorrect: undefined, toReport: undefined });
		own.forms = new Map(forms);
	}

	const { toCorrect } = own;
	const isAgain = toCorrect !== undefined && deps.now() - toCorrect.at < ACTIVATION_MS;
	if (reason !== 'tick' && isAgain) throw asNodeError(deps.node, toCorrect.error);

	while (own.poll !== undefined) {
		if (!isWatching(trigger, staticData, own)) await own.poll;
		if (isWatching(trigger, staticData, own)) return null;
	}
	if (isDeliveryInFlight(staticData, own, deps.now())) return null;
	return await alone(own, trigger, staticData, memory.budget(account), deps);
}

function isChosen({ watch }: Trigger, id: string): boolean {
	return watch.kind === 'all' || watch.formIds.includes(id);
}

/** Whether there is a state for some of the forms to go on from. */
function isWatching(trigger: Trigger, staticData: IDataObject, own: TriggerMemory): boolean {
	const { service, watch } = trigger;
	const restored = load(staticData, own);
	if (restored.kind !== 'state' || restored.state.service !== service) return false;
	const { forms, listedSince } = restored.state;
	const isListed = watch.kind === 'all' && listedSince !== undefined;
	return isListed || watchedIds(watch, forms).some((id) => forms.get(id)?.known !== undefined);
}

/** Lets polls that overlap this one know of it until it has ended. */
async function alone(
	own: TriggerMemory,
	trigger: Trigger,
	staticData: IDataObject,
	budget: Budget,
	deps: Dependencies,
): Promise<Items> {
	const polls = new FormPolls(trigger, staticData, own, budget, deps).run();
	const ended = polls.then(
		() => undefined,
		() => undefined,
	);
	own.poll = ended;
	try {
		return await polls;
	} finally {
		own.poll = undefined;
	}
}
