import { sortBy, sum } from 'lodash';
import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { getAccount } from '../api/account';
import type { Account } from '../api/account';
import { clock } from '../api/clock';
import {
	findActivationError,
	recordAnswer,
	recordFailure,
	recordInputFailure,
	recordSuccess,
	takePendingError,
} from './failures';
import type { Progress } from './failures';
import { deliverForm, findInForm } from './formPoll';
import type { FoundInForm } from './formPoll';
import { isFormListDue, noteForms, readFormList } from './forms';
import {
	createInitialState,
	createPollInput,
	findOccasion,
	listKnownIds,
	listWatchedIds,
} from './input';
import type { PollInput } from './input';
import {
	createFormMemory,
	dropReadings,
	forgetOutdated,
	forgetTrigger,
	recallTrigger,
	registerPoll,
} from './memory';
import type { ListedForm, ListMemory } from './memory';
import { createItems } from './output';
import type { Event, PlacedItem } from './output';
import { readParameters } from './parameters';
import type { Parameters } from './parameters';
import { computeWeight, DAY_MS, HOUR_MS } from './schedule';
import type { Sharer } from './schedule';
import { isDeliveryUnderWay, saveState } from './state';
import type { Content, FormState } from './state';

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
		recordInputFailure(memory, n8n, occasion, cause);
		return null;
	}
	const { watch, conditions, events } = parameters;
	const watched = JSON.stringify([watch, conditions]);
	forgetOutdated(memory, account.key, JSON.stringify(events), watched);

	let input = createPollInput(n8n, memory, occasion, parameters, account);
	while (memory.polling !== undefined) {
		// the first poll may fail, so an overlapping one waits for its result
		if (!isContinuing(input)) await memory.polling;
		input = createPollInput(n8n, memory, occasion, parameters, account);
		if (isContinuing(input)) return null;
	}
	if (isDeliveryUnderWay(input.staticData, memory, clock.now())) return null;
	const polling = pollOnce(input);
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
function isContinuing({ content, parameters }: PollInput): boolean {
	return content.listedSinceMs !== undefined || listKnownIds(parameters, content).length > 0;
}

/** Reads what is due, delivers what is new, saves what is known then, and reports failures. */
async function pollOnce(input: PollInput): Promise<Items> {
	const { memory, parameters, base, staticData, context } = input;
	const { last } = memory;
	if (base.kind === 'damage') {
		context.n8n.logger.warn(
			"The trigger's saved state could not be read. Existing responses won't start the workflow.",
		);
	}
	// n8n has discarded items: what was read and delivered with them has to be found again
	if (last && !(base.kind === 'state' && base.state === last.left)) dropReadings(memory);
	const progress: Progress = { failed: [], failedInARow: 0, isStopped: false };
	const { content, created } = await updateFormList(input, progress);
	const forms = new Map(content.forms);
	const items = await deliverCreated(input, forms, created);
	const found = await findInForms(input, progress, forms);
	const room = parameters.maxPerPoll - items.length;
	items.push(...(await deliverForms(input, progress, forms, found, room)));

	const error = findActivationError(input, progress, { ...content, forms });
	if (error !== undefined) {
		forgetTrigger(memory, last);
		throw error;
	}
	const before = items.length > 0 ? addInitialStates(input, content) : undefined;
	const after = addInitialStates(input, { ...content, forms });
	saveState(staticData, memory, base, after, before, clock.now());
	if (items.length > 0) return sortBy(items, 'atMs').map(({ item }) => item);
	const pendingError = takePendingError(input);
	if (pendingError !== undefined) throw pendingError;
	return null;
}

/** Takes note of when the trigger began to watch forms that it has not read yet. */
function addInitialStates(input: PollInput, content: Content): Content {
	// before the first reply, the service's time is not known
	if (input.memory.clockOffsetMs === undefined) return content;
	const initial = createInitialState(input);
	const ids = listWatchedIds(input.parameters, content.forms);
	const added = ids.filter((id) => !content.forms.has(id)).map((id) => [id, initial] as const);
	return { ...content, forms: new Map([...content.forms, ...added]) };
}

/** Finds out which forms there are to watch, and which of them are new. */
async function updateFormList(input: PollInput, progress: Progress) {
	const { memory, parameters, content, startedAtMs } = input;
	const { list } = memory;
	const { watch, watchesResponses } = parameters;
	if (watch.kind === 'chosen') return { content, created: [] };
	// beside responses, the list is read once an hour
	const maxPerDay = watchesResponses ? (list.pages * DAY_MS) / HOUR_MS : Infinity;
	registerList(input, list, { weight: 1, maxPerDay });
	try {
		if (isFormListDue(input)) {
			await readFormList(input);
			recordAnswer(input, progress);
			recordSuccess(input, list, 'whole');
		}
	} catch (cause) {
		recordFailure(input, progress, { list, step: 'whole', startedAtMs, cause });
	}
	return noteForms(input, watch.except);
}

/** The list takes part in the requests of the account. */
function registerList(
	{ parameters: { requestsPerDay }, occasion, startedAtMs: polledAtMs }: PollInput,
	list: ListMemory,
	need: Pick<Sharer, 'weight' | 'maxPerDay'>,
): void {
	registerPoll(list, { requestsPerDay, polledAtMs, ...need }, occasion);
}

/**
 * Delivers forms that are new in the list of all forms, and begins to watch them.
 *
 * @param forms what is known of the forms, to which they are added
 */
async function deliverCreated(
	input: PollInput,
	forms: Map<string, FormState>,
	created: readonly ListedForm[],
): Promise<PlacedItem[]> {
	const { context, parameters } = input;
	const { events, output, maxPerPoll, watchesResponses } = parameters;
	const limit = events.includes('formCreated') ? maxPerPoll : 0;
	const begun = limit > 0 ? created.slice(0, limit) : created;
	for (const { id } of begun) forms.set(id, watchesResponses ? { known: new Map() } : {});
	const found = begun.slice(0, limit).map(({ id, name, record }): Event => {
		return { event: 'formCreated', record, form: { id, name } };
	});
	return await createItems(found, { context, output });
}

/** Reads the forms that are due in turn: those with the longest wait first. */
async function findInForms(
	input: PollInput,
	progress: Progress,
	forms: ReadonlyMap<string, FormState>,
): Promise<FoundInForm[]> {
	const { memory, parameters, readUntilMs, startedAtMs } = input;
	const ids = listWatchedIds(parameters, forms);
	const recall = (id: string) => memory.forms.get(id) ?? createFormMemory(id);
	memory.forms = new Map(ids.map((id) => [id, recall(id)]));
	for (const form of memory.forms.values()) {
		const weight = computeWeight(form.rate, startedAtMs);
		registerList(input, form, { weight, maxPerDay: Infinity });
	}
	const found: FoundInForm[] = [];
	for (const form of sortBy([...memory.forms.values()], 'readTurn')) {
		if (progress.isStopped || clock.now() >= readUntilMs) break;
		const one = await findInForm(input, progress, form, forms.get(form.id));
		if (one !== undefined) found.push(one);
	}
	return found;
}

/**
 * Delivers what was found in the forms. They take turns for room: each gets one item after another, and
 * one that delivered goes behind those that wait.
 *
 * @param forms what is known of the forms, which is brought up to date
 */
async function deliverForms(
	input: PollInput,
	progress: Progress,
	forms: Map<string, FormState>,
	found: readonly FoundInForm[],
	room: number,
): Promise<PlacedItem[]> {
	const inTurn = sortBy(found, 'form.deliveryTurn');
	const lengths = inTurn.map(({ ready }) => ready.length);
	const shares = shareRoom(lengths, room);
	const all: PlacedItem[] = [];
	for (const [index, one] of inTurn.entries()) {
		// at least one item gets through
		const share = all.length === 0 || clock.now() < input.deliverUntilMs ? shares[index] : 0;
		const { items, known } = await deliverForm(input, progress, one, share);
		forms.set(one.form.id, { known });
		all.push(...items);
	}
	return all;
}

/** Gives each in turn one place, until all have what they want or no place is left. */
function shareRoom(wanted: readonly number[], room: number): number[] {
	const shares = wanted.map(() => 0);
	let left = Math.min(room, sum(wanted));
	for (let index = 0; left > 0; index = (index + 1) % wanted.length) {
		if (shares[index] === wanted[index]) continue;
		shares[index] += 1;
		left -= 1;
	}
	return shares;
}
