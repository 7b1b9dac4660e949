import { randomUUID } from 'crypto';
import { groupBy, omit, partition, sortBy } from 'lodash';
import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { getAccount } from '../api/account';
import type { Account } from '../api/account';
import { clock } from '../api/clock';
import { computeSpacingMs } from './budget';
import { applyEvents } from './compare';
import { deliverWaiting } from './delivery';
import {
	findActivationError,
	noteFailedInput,
	noteFailedReading,
	takeErrorToReport,
} from './failures';
import type { Progress } from './failures';
import { mergeFormList } from './compareForms';
import type { FoundForm } from './compareForms';
import { createUnknownFormError, isListDue, readFormList, setListDemand } from './formList';
import { isAboutAccount, recordAnswer, recordSuccess } from './health';
import type { FormState, Knowledge } from './knowledge';
import { confirmTaken, listWaiting, takeBack } from './outbox';
import { createItems } from './output';
import type { Event, PlacedItem } from './output';
import { readParameters } from './parameters';
import type { Parameters } from './parameters';
import {
	createBaseline,
	createPollContext,
	createReadContext,
	findOccasion,
	listKnownIds,
	listWatchedIds,
	readServiceTimeMs,
} from './pollContext';
import type { PollContext } from './pollContext';
import { toSavedPosition } from './position';
import { createDemand, planRequests, readForms } from './readForms';
import { isDeliveryUnderWay, saveState } from './savedState';
import { forgetOutdated, forgetProgress, recallTrigger } from './triggerMemory';

type Items = INodeExecutionData[] | null;

/**
 * Handles one poll of n8n; does nothing if no form is due. Returns the items of what is new, or null: n8n
 * would run the workflow on an empty list.
 *
 * @throws NodeApiError or NodeOperationError that people are to see
 */
export async function pollForms(n8n: IPollFunctions): Promise<Items> {
	const node = n8n.getNode();
	const memory = recallTrigger(`${n8n.getWorkflow().id}:${node.id}`, node.name);
	const occasion = findOccasion(n8n);
	let parameters: Parameters;
	let account: Account;
	try {
		parameters = readParameters(n8n);
		account = await getAccount(n8n);
	} catch (cause) {
		noteFailedInput(memory, n8n, occasion, cause);
		return null;
	}
	recordSuccess(memory.parameterHealth, true);

	const createContext = () => createPollContext(n8n, memory, occasion, parameters, account);
	let context = createContext();
	while (memory.polling !== undefined) {
		// the first poll may fail, so an overlapping one waits for its result
		if (!isContinuing(context)) await memory.polling;
		context = createContext();
		if (isContinuing(context)) return null;
	}
	const isSaving = isDeliveryUnderWay(context.staticData, memory.states, clock.now());
	if (occasion === 'schedule' && isSaving) return null;
	// a poll that was under way has ended by now: it used its own parameters to its end
	forgetOutdated(memory, account.key, parameters);
	const polling = pollOnce(context);
	memory.polling = polling.then(
		() => undefined,
		() => undefined,
	);
	try {
		return await polling;
	} finally {
		memory.polling = undefined;
	}
}

/** Whether there is a state of some of the forms to continue from. */
function isContinuing({ knowledge, parameters }: PollContext): boolean {
	return knowledge.listedSinceMs !== undefined || listKnownIds(parameters, knowledge).length > 0;
}

/** Reads what is due, delivers what waits, saves what is known then, and reports failures. */
async function pollOnce(context: PollContext): Promise<Items> {
	const { memory, parameters } = context;
	settleLastDelivery(context);
	const progress: Progress = { failed: [], isStopped: false };
	const { knowledge, found } = await updateFormList(context, progress);
	const states = new Map(knowledge.forms);
	const items = await deliverFoundForms(context, states, found);
	const read = await readForms(context, progress, states);
	const room = parameters.maxPerPoll - items.length;
	items.push(...(await deliverWaiting(context, progress, read, states, room)));

	const error = findActivationError(context, progress, { forms: states });
	if (error !== undefined) {
		forgetProgress(memory);
		throw error;
	}
	savePoll(context, { ...knowledge, forms: states }, items.length > 0 ? found : undefined);
	if (items.length > 0) return sortBy(items, 'atMs').map(({ item }) => item);
	const pendingError = takeErrorToReport(context);
	if (pendingError !== undefined) throw pendingError;
	return null;
}

/** What n8n has not kept of the last delivery goes back to the outbox. */
function settleLastDelivery({ request, memory, loaded }: PollContext): void {
	if (loaded.kind === 'kept') confirmTaken(memory.outbox);
	else if (loaded.kind === 'discarded') takeBack(memory.outbox);
	// what the process remembers does not belong to this state
	else forgetProgress(memory);
	if (loaded.kind !== 'damage') return;
	request.n8n.logger.warn(
		"The trigger's saved state could not be read. Existing responses won't start the workflow.",
	);
}

/** Finds out which forms there are to watch, and which of them are new or have changed. */
async function updateFormList(context: PollContext, progress: Progress) {
	const { memory, parameters, knowledge, occasion } = context;
	const { formList, accountHealth } = memory;
	const { lists } = parameters;
	if (!lists.forms) return { knowledge, found: [] };
	setListDemand(formList, createDemand(context, formList.demand), lists.responses);
	const spacingMs = computeSpacingMs(formList.demand!, planRequests(context));
	if (isListDue(formList, accountHealth, spacingMs, occasion === 'publish')) {
		const part = await readFormList(createReadContext(context), formList, spacingMs);
		memory.clockOffsetMs = part.clockOffsetMs ?? memory.clockOffsetMs;
		if (part.pages.length > 0 && !isAboutAccount(part.error)) recordAnswer(accountHealth);
		const error = part.error ?? findMissingForm(context);
		if (error === undefined) recordSuccess(formList, part.isEnd);
		else noteFailedReading(context, progress, undefined, error, true);
	}
	const baseline = lists.responses ? createBaseline(context) : undefined;
	const initial = baseline === undefined ? {} : { baseline };
	return mergeFormList(knowledge, formList, parameters, initial, readServiceTimeMs(context));
}

/** The error for a chosen form that is not listed. A form whose responses are read has its own error. */
function findMissingForm({ request, memory, parameters }: PollContext) {
	const { watch, lists } = parameters;
	const ids = watch.kind === 'all' || lists.responses ? [] : watch.formIds;
	const missing = ids.find((id) => memory.formList.whole?.ids.has(id) === false);
	if (missing === undefined) return undefined;
	return createUnknownFormError(request.n8n.getNode(), missing, memory.formList.forms);
}

/**
 * Delivers the events of forms, and begins to watch new forms.
 *
 * @param states what is known of the forms, which is brought up to date
 */
async function deliverFoundForms(
	{ request, parameters }: PollContext,
	states: Map<string, FormState>,
	found: readonly FoundForm[],
): Promise<PlacedItem[]> {
	const { events, output, maxPerPoll } = parameters;
	const [wanted, others] = partition(found, ({ event }) => events.includes(event));
	const taken = wanted.slice(0, maxPerPoll);
	for (const { id, after } of [...taken, ...others]) states.set(id, after);
	const delivered = taken.map(({ id, name, ...rest }): Event => ({ ...rest, form: { id, name } }));
	return await createItems(delivered, { context: request, output });
}

/**
 * Saves what is known after the poll.
 *
 * @param knowledge what is known without the events that were taken
 * @param found the events of forms, if there are items: without them counts what is known if n8n discards
 * the items
 */
function savePoll(
	context: PollContext,
	knowledge: Knowledge,
	found: readonly FoundForm[] | undefined,
): void {
	const { memory, loaded, staticData } = context;
	const begun = addPositions(context, addUnreadForms(context, knowledge));
	const forms = new Map(begun.forms);
	for (const [id, events] of Object.entries(groupBy(memory.outbox.taken, 'formId'))) {
		forms.set(id, applyEvents(forms.get(id) ?? {}, events));
	}
	const earlier = new Map(begun.forms);
	for (const { id, before: attributes } of found ?? []) {
		if (attributes === undefined) earlier.delete(id);
		else earlier.set(id, { ...earlier.get(id), attributes });
	}
	const before = found && { ...begun, forms: earlier };
	const result = { after: { ...begun, forms }, before };
	saveState(staticData, memory.states, loaded, result, clock.now(), randomUUID);
}

/** Takes note of where the readings stand. */
function addPositions({ memory }: PollContext, knowledge: Knowledge): Knowledge {
	const forms = [...knowledge.forms].map(([id, state]): [string, FormState] => {
		const form = memory.forms.get(id);
		// what waits is found again by a reading of the whole list, should the process end
		const isSettled = form !== undefined && listWaiting(memory.outbox, id).size === 0;
		const position = isSettled ? toSavedPosition(form.position) : undefined;
		if (position === state.position) return [id, state];
		return [id, position === undefined ? omit(state, 'position') : { ...state, position }];
	});
	return { ...knowledge, forms: new Map(forms) };
}

/** Takes note of when the trigger began to watch forms that it has not read yet. */
function addUnreadForms(context: PollContext, knowledge: Knowledge): Knowledge {
	const { memory, parameters } = context;
	// before the first reply, the service's time is not known
	if (memory.clockOffsetMs === undefined) return knowledge;
	const ids = listWatchedIds(parameters, knowledge.forms);
	const baseline = createBaseline(context);
	const forms = new Map(knowledge.forms);
	for (const id of ids) {
		const state = forms.get(id);
		const isUnread = !state?.known && !state?.baseline && !state?.isPaused;
		if (isUnread) forms.set(id, { ...state, baseline });
	}
	const isUnlisted = parameters.watch.kind === 'all' && knowledge.isListed !== true;
	const isOpen = ids.some((id) => {
		const state = forms.get(id);
		return state?.baseline !== undefined && state.baseline.isRead !== true;
	});
	const isRepairing = knowledge.isRepairing && (isUnlisted || isOpen) ? true : undefined;
	return { ...knowledge, forms, isRepairing };
}
