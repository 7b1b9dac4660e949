import { sortBy } from 'lodash';
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { getAccount } from '../api/account';
import type { Account } from '../api/account';
import {
	conditionsNeedFields,
	describeUncompared,
	explainUnknownField,
	filterByConditions,
} from '../api/answers/conditions';
import type { FormField } from '../api/answers/fields';
import { sortOldestFirst, getSubmittedAt } from '../api/answers/order';
import { clock } from '../api/clock';
import { endpoints, targetOf } from '../api/endpoints';
import { NotSent } from '../api/errors';
import { compareResponses, computeKnown } from './compare';
import type { Comparison, Found } from './compare';
import { createConditionError, LOG } from './errors';
import {
	FAILURES_UNTIL_REPORTED,
	findActivationError,
	isBackOffOver,
	readFailure,
	recordAnswer,
	recordFailure,
	recordInputFailure,
	recordSuccess,
	takePendingError,
} from './failures';
import type { Failed } from './failures';
import { findName, isFormListDue, loadFields, noteForms, readFormList } from './forms';
import { createInitialState, createPollInput, findOccasion, listWatchedIds } from './input';
import type { PollInput } from './input';
import {
	createFormMemory,
	dropReadings,
	forgetOutdated,
	forgetTrigger,
	recallTrigger,
	registerPoll,
} from './memory';
import type { FormMemory, ListedForm } from './memory';
import { createItems } from './output';
import type { Event } from './output';
import { readParameters } from './parameters';
import type { Parameters } from './parameters';
import { decideReading, readResponses } from './reading';
import type { Reading } from './reading';
import { addResponses, computeWeight, DAY_MS, HOUR_MS } from './schedule';
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
	forgetOutdated(
		memory,
		JSON.stringify([account.key, events]),
		JSON.stringify([watch, conditions]),
	);

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

/** The IDs of the watched forms that have been read. */
function listKnownIds(parameters: Parameters, { forms }: Pick<Content, 'forms'>): string[] {
	return listWatchedIds(parameters, forms).filter((id) => forms.get(id)?.known !== undefined);
}

/** How the readings of one poll have gone so far. */
type Progress = { failed: Failed[]; failedInARow: number; isStopped: boolean };

/** Reads what is due, delivers what is new, saves what is known then, and reports failures. */
async function pollOnce(input: PollInput): Promise<Items> {
	const { memory, parameters, base, staticData, context } = input;
	const { last } = memory;
	if (base.damage !== undefined) {
		context.n8n.logger.warn(
			`The trigger's saved state could not be read: ${base.damage}. Existing responses won't start the workflow.`,
		);
	}
	// n8n has discarded items: what was read and delivered with them has to be found again
	if (last !== undefined && base.state !== last.left) dropReadings(memory);
	const progress: Progress = { failed: [], failedInARow: 0, isStopped: false };
	const { content, created } = await noteWatchedForms(input, progress);
	const forms = new Map(content.forms);
	const items = await deliverCreated(input, forms, created);
	const found = await readForms(input, forms, progress);
	items.push(...(await deliverFound(input, forms, found, items.length, progress)));

	const error = findActivationError(input, progress.failed, listKnownIds(parameters, { forms }));
	if (error !== undefined) {
		forgetTrigger(memory, last);
		throw error;
	}
	const hasItems = items.length > 0;
	const before = addInitialStates(input, content);
	const after = addInitialStates(input, { ...content, forms });
	saveState(staticData, memory, base, after, hasItems ? before : undefined, clock.now());
	if (hasItems) return sortBy(items, 'atMs').map(({ item }) => item);
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

/** Takes note of a failure of this poll. After one of the whole account, nothing more is sent. */
function noteFailure(input: PollInput, progress: Progress, failed: Failed): void {
	progress.failed.push(failed);
	if (failed.cause instanceof NotSent) {
		progress.isStopped = true;
		input.context.n8n.logger.info(LOG.queueIsFull);
		return;
	}
	const isPassing = readFailure(failed.cause)?.cause === 'temporarily-unavailable';
	if (isPassing && !failed.isAboutForm) progress.failedInARow += 1;
	const isServiceDown = progress.failedInARow >= FORMS_UNTIL_SERVICE_FAILS;
	const subject = recordFailure(input, failed, isServiceDown);
	if (subject.kind === 'account') progress.isStopped = true;
}

/** Forms in a row that the service cannot give now: from then on it is the service that fails. */
const FORMS_UNTIL_SERVICE_FAILS = 2;

/** Finds out which forms there are to watch, and which of them are new. */
async function noteWatchedForms(input: PollInput, progress: Progress) {
	const { memory, parameters, content, startedAtMs } = input;
	const { watch, watchesResponses } = parameters;
	if (watch.kind === 'chosen') return { content, created: [] };
	const { list } = memory;
	registerList(
		input,
		list.sharer,
		1,
		watchesResponses ? (list.pages * DAY_MS) / HOUR_MS : Infinity,
	);
	if (isFormListDue(input)) {
		const subject = { kind: 'forms' } as const;
		try {
			await readFormList(input);
			recordAnswer(input);
			recordSuccess(input, subject, list, true);
		} catch (cause) {
			const isFirst = content.listedSinceMs === undefined;
			const failed = { subject, list, isFirst, isWhole: true, isAboutForm: false };
			noteFailure(input, progress, { ...failed, startedAtMs, cause });
		}
	}
	return noteForms(input, watch.except);
}

/** The list takes part in the requests of the account. */
function registerList(input: PollInput, sharer: string, weight: number, maxPerDay: number): void {
	const { context, parameters, occasion, startedAtMs } = input;
	const { requestsPerDay } = parameters;
	const isScheduled = occasion === 'schedule';
	const poll = { requestsPerDay, weight, maxPerDay, isScheduled };
	registerPoll(context.account.key, sharer, poll, startedAtMs);
}

/** An item, and the time up to which the items of its form are submitted. */
type PlacedItem = { atMs: number; item: INodeExecutionData };

/** Delivers forms that are new in the list of all forms. */
async function deliverCreated(
	input: PollInput,
	forms: Map<string, FormState>,
	created: readonly ListedForm[],
): Promise<PlacedItem[]> {
	const { context, parameters } = input;
	const { events, output, maxPerPoll, watchesResponses } = parameters;
	const isEvent = events.includes('formCreated');
	const found = (isEvent ? created.slice(0, maxPerPoll) : []).map(({ id, name, record }): Event => {
		return { event: 'formCreated', record, form: { id, name } };
	});
	const items = await createItems(found, { context, output });
	for (const { id } of isEvent ? created.slice(0, items.length) : created) {
		forms.set(id, watchesResponses ? { known: new Map() } : {});
	}
	return placeItems(found, items);
}

/** Items of several forms are ordered by time later, and those of one form stay in their order. */
function placeItems(events: readonly Event[], items: INodeExecutionData[]): PlacedItem[] {
	let atMs = -Infinity;
	return items.map((item, index) => {
		atMs = Math.max(atMs, getSubmittedAt(events[index].record) ?? atMs);
		return { atMs, item };
	});
}

/** What a poll has found in one form. */
type FoundInForm = {
	id: string;
	form: FormMemory;
	comparison: Comparison;
	/** Events that start the workflow, oldest first. */
	wanted: Found[];
	fields?: readonly FormField[];
	/** Undefined if the events have to wait for the fields of the form. */
	isReady: boolean;
	/** What was read, and is good if the delivery is as well. */
	read?: 'whole' | 'part';
};

/** Reads the forms that are due in turn, and compares them with what is known. */
async function readForms(
	input: PollInput,
	forms: ReadonlyMap<string, FormState>,
	progress: Progress,
): Promise<FoundInForm[]> {
	const { memory, parameters, readUntilMs, startedAtMs } = input;
	const ids = listWatchedIds(parameters, forms);
	const remembered = (id: string) => memory.forms.get(id) ?? createFormMemory(memory.key, id);
	memory.forms = new Map(ids.map((id) => [id, remembered(id)]));
	for (const { sharer, rate } of memory.forms.values()) {
		registerList(input, sharer, computeWeight(rate, startedAtMs), Infinity);
	}
	const found: FoundInForm[] = [];
	// new forms have had no turn and come first, then the form whose turn was longest ago
	for (const [id, form] of sortBy([...memory.forms], ([, { readTurn }]) => readTurn)) {
		if (progress.isStopped || clock.now() >= readUntilMs) break;
		const one = await readForm(input, id, form, forms.get(id), progress);
		if (one !== undefined) found.push(one);
	}
	return found;
}

/** Reads one form if it is due, or else takes what its last readings had no room for. */
async function readForm(
	input: PollInput,
	id: string,
	form: FormMemory,
	state: FormState | undefined,
	progress: Progress,
): Promise<FoundInForm | undefined> {
	const { context, parameters, occasion } = input;
	const { conditions, events, abandonedAfterMs } = parameters;
	const known = state?.known;
	const isToCheck = occasion === 'publish' && conditionsNeedFields(conditions);
	// a state that n8n has restored may be older than what waits
	if (known === undefined) form.waiting = [];
	const kind = decideReading(input, form, known, isToCheck);
	const isWaiting = form.waiting.length > 0 && isBackOffOver(input, form);
	if (kind === undefined && !isWaiting) return undefined;
	const subject = { kind: 'form', id } as const;
	const failed = {
		...{ subject, list: form, isFirst: known === undefined, isWhole: kind === 'whole' },
		startedAtMs: clock.now(),
	};
	let reading: Reading = { kind: 'part', records: [], order: form.order };
	try {
		if (kind !== undefined) reading = await readDue(input, id, form, known, kind);
	} catch (cause) {
		noteFailure(input, progress, { ...failed, isAboutForm: false, cause });
		return undefined;
	}
	const cause = reading.kind === 'cut' ? reading.error : undefined;
	if (cause !== undefined) noteFailure(input, progress, { ...failed, isAboutForm: false, cause });
	else if (kind !== undefined) progress.failedInARow = 0;
	if (known === undefined && reading.kind !== 'whole') {
		const count = form.unfinished?.records.length ?? 0;
		context.n8n.logger.info(
			`Form ${id}: the first reading goes on with the next poll. Responses so far: ${count}.`,
		);
		return undefined;
	}
	const isWhole = reading.kind === 'whole';
	const read = kind === undefined || cause !== undefined ? undefined : isWhole ? 'whole' : 'part';
	try {
		const node = context.n8n.getNode();
		const { sinceMs } = state ?? createInitialState(input);
		const rules = { node, events, abandonedAfterMs, nowMs: clock.now(), sinceMs };
		const records = isWhole ? reading.records : [...reading.records, ...form.waiting];
		const comparison = compareResponses(known, records, isWhole, rules);
		if (known === undefined) {
			const { length } = reading.records;
			context.n8n.logger.info(`Watching form ${id}. Existing responses: ${length}.`);
		}
		const found = { id, form, comparison };
		try {
			return {
				...found,
				...(await selectWanted(input, id, form, comparison, records, isToCheck)),
				read,
			};
		} catch (error) {
			noteFailure(input, progress, { ...failed, isAboutForm: true, cause: error });
			return { ...found, wanted: sortOldestFirst(comparison.found), isReady: false };
		}
	} catch (error) {
		noteFailure(input, progress, { ...failed, isAboutForm: true, cause: error });
		return undefined;
	}
}

/** Reads a form, and keeps in memory what later polls need of it. */
async function readDue(
	input: PollInput,
	id: string,
	form: FormMemory,
	known: FormState['known'],
	kind: 'whole' | 'short',
): Promise<Reading> {
	const { context, memory } = input;
	form.readTurn = ++memory.turns;
	const target = targetOf(context.account, endpoints.listResponses, { formId: id });
	const { unfinished } = form;
	if (kind === 'whole') form.unfinished = undefined;
	const reading = await readResponses(input, target, form, known, kind, unfinished);
	recordAnswer(input);
	if (reading.kind === 'cut') form.unfinished = reading.unfinished;
	else form.order = reading.order;
	if (reading.kind === 'whole') form.isRead = true;
	if (reading.kind === 'part' && reading.order === undefined) form.unfinished = undefined;
	return reading;
}

/**
 * Selects the events that start the workflow. The others are marked as seen.
 *
 * @param records what was compared
 * @throws why the fields that this needs cannot be read, or what is wrong with a condition
 */
async function selectWanted(
	input: PollInput,
	id: string,
	form: FormMemory,
	{ found }: Comparison,
	records: readonly IDataObject[],
	isToCheck: boolean,
): Promise<Pick<FoundInForm, 'wanted' | 'fields' | 'isReady'>> {
	const { context, parameters } = input;
	const { conditions, needsFields } = parameters;
	const { logger } = context.n8n;
	const isByField = conditionsNeedFields(conditions);
	const possible = isByField ? found : filterByConditions(found, conditions, []).met;
	if (!needsFields || (possible.length === 0 && !isToCheck)) {
		return { wanted: sortOldestFirst(possible), isReady: true };
	}
	const newRecords = possible.map(({ record }) => record);
	const fields = await loadFields(input, id, form, newRecords);
	if (fields === undefined) {
		if (possible.length > 0) logger.info(LOG.waitForFields);
		return { wanted: sortOldestFirst(possible), isReady: false };
	}
	if (!isByField) return { wanted: sortOldestFirst(possible), fields, isReady: true };
	const problem = explainUnknownField(conditions, fields, records);
	if (problem !== undefined) throw createConditionError(context.n8n.getNode(), problem);
	const { met, uncompared } = filterByConditions(found, conditions, fields);
	const note = describeUncompared(uncompared);
	if (note !== undefined) logger.warn(`Form ${id}: ${note}`);
	return { wanted: sortOldestFirst(met), fields, isReady: true };
}

/** The most responses of a form that wait in memory: they are whole records. */
const MAX_WAITING = 5_000;

/**
 * Delivers what was found, and takes note of what is known then. Forms take turns for room: each gets one
 * item after another, and one that delivered goes behind those that wait.
 */
async function deliverFound(
	input: PollInput,
	forms: Map<string, FormState>,
	found: readonly FoundInForm[],
	usedRoom: number,
	progress: Progress,
): Promise<PlacedItem[]> {
	const { memory, parameters, deliverUntilMs } = input;
	const inTurn = sortBy(found, ({ form }) => form.deliveryTurn);
	const room = parameters.maxPerPoll - usedRoom;
	const shares = shareRoom(
		inTurn.map(({ isReady, wanted }) => (isReady ? wanted.length : 0)),
		room,
	);
	const items: PlacedItem[] = [];
	for (const [index, { id, form, comparison, wanted, fields, read }] of inTurn.entries()) {
		const isLate = items.length > 0 && clock.now() >= deliverUntilMs;
		const ready = isLate ? [] : wanted.slice(0, shares[index]);
		const delivered = await deliverForm(input, id, form, ready, fields, progress, read);
		const rest = wanted.slice(delivered.length);
		forms.set(id, { known: computeKnown(comparison, rest) });
		form.rate = addResponses(form.rate, comparison.found.length - rest.length, clock.now());
		form.waiting = rest.slice(0, MAX_WAITING).map(({ record }) => record);
		// the next reading has to find the others again
		if (rest.length > MAX_WAITING) form.order = undefined;
		if (delivered.length > 0) form.deliveryTurn = ++memory.turns;
		items.push(...delivered);
	}
	return items;
}

/** Gives each in turn one place, until all have what they want or no place is left. */
function shareRoom(wanted: readonly number[], room: number): number[] {
	const shares = wanted.map(() => 0);
	let left = Math.min(
		room,
		wanted.reduce((sum, one) => sum + one, 0),
	);
	for (let index = 0; left > 0; index = (index + 1) % wanted.length) {
		if (shares[index] === wanted[index]) continue;
		shares[index] += 1;
		left -= 1;
	}
	return shares;
}

/**
 * Makes items of the first events of a form, as many as there is time for. If that fails, none is
 * delivered, and the events wait.
 */
async function deliverForm(
	input: PollInput,
	id: string,
	form: FormMemory,
	ready: readonly Found[],
	fields: readonly FormField[] | undefined,
	progress: Progress,
	read: FoundInForm['read'],
): Promise<PlacedItem[]> {
	const { context, parameters, deliverUntilMs: untilMs, timeUp } = input;
	const { output } = parameters;
	const subject = { kind: 'form', id } as const;
	const startedAtMs = clock.now();
	const name = ready.length > 0 ? await findName(input, id, form, !progress.isStopped) : null;
	const events = ready.map(({ event, record }) => ({ event, record, form: { id, name }, fields }));
	const isPatient = form.failures.count + 1 < FAILURES_UNTIL_REPORTED;
	try {
		const items = await createItems(events, { context, output, untilMs, timeUp, isPatient });
		if (read !== undefined) recordSuccess(input, subject, form, read === 'whole');
		return placeItems(events, items);
	} catch (cause) {
		const failed = { subject, list: form, isFirst: false, isWhole: false, isAboutForm: true };
		noteFailure(input, progress, { ...failed, startedAtMs, cause });
		return [];
	}
}
