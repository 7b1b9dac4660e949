import type { IDataObject, INode } from 'n8n-workflow';
import {
	conditionsNeedFields,
	filterByConditions,
	findConditionProblem,
} from '../api/answers/conditions';
import { parseFields } from '../api/answers/fields';
import type { FormField } from '../api/answers/fields';
import { hasUnmatchedAnswers } from '../api/answers/match';
import { clock } from '../api/clock';
import { createTarget, endpoints } from '../api/endpoints';
import { asNodeError, createInputError, NotSent, ServiceError } from '../api/errors';
import { getChosenName } from '../parameters/formId';
import { HOUR_MS, isOver, MINUTE_MS } from './budget';
import { applyEvents } from './compare';
import { noteFailedDelivery } from './failures';
import type { Progress } from './failures';
import { readNames } from './formList';
import { FAILURES_UNTIL_REPORTED, isBackOffOver, recordSuccess } from './health';
import type { FormState } from './knowledge';
import { advanceTurn, listWaiting, sortOut, takeBack, takeEvents } from './outbox';
import type { TakenEvent } from './outbox';
import { createItems } from './output';
import type { PlacedItem } from './output';
import { createReadContext } from './pollContext';
import type { PollContext } from './pollContext';
import { readPart } from './reading';
import { addDelivered, addFormRequests, setFields } from './watchedForm';
import type { WatchedForm } from './watchedForm';

/** How what waits becomes items: the filters sort it out, the forms take turns for room, items are made. */

/**
 * Delivers what waits, also what was found in earlier polls: that takes no request, unless fields are needed.
 *
 * @param read what this poll has read, by form
 * @param states what is known of the forms; what the filters sort out is known then
 * @param room the most items
 * @returns the items; their events are in the outbox as taken
 */
export async function deliverWaiting(
	context: PollContext,
	progress: Progress,
	read: ReadonlyMap<string, readonly IDataObject[]>,
	states: Map<string, FormState>,
	room: number,
): Promise<PlacedItem[]> {
	const { outbox, forms } = context.memory;
	const fieldsById = new Map<string, readonly FormField[] | undefined>();
	for (const form of forms.values()) {
		if (!isBackOffOver(form.delivery, MINUTE_MS, clock.now())) continue;
		const ready = await sortOutEvents(context, progress, form, read.get(form.id), states);
		if (ready !== undefined) fieldsById.set(form.id, ready.fields);
	}
	const items: PlacedItem[] = [];
	for (const [formId, events] of takeEvents(outbox, new Set(fieldsById.keys()), room)) {
		const form = forms.get(formId)!;
		// at least one item gets through
		const isInTime = items.length === 0 || !context.times.readingEnds.aborted;
		const made = isInTime
			? await makeItems(context, progress, form, events, fieldsById.get(formId))
			: [];
		takeBack(outbox, events.slice(made.length));
		if (made.length === 0) continue;
		advanceTurn(outbox, formId);
		addDelivered(form, made.length, clock.now());
		items.push(...made);
	}
	return items;
}

/** Makes items of events, as many as there is time for. If that fails, none is delivered. */
async function makeItems(
	context: PollContext,
	progress: Progress,
	form: WatchedForm,
	events: readonly TakenEvent[],
	fields: readonly FormField[] | undefined,
): Promise<PlacedItem[]> {
	const { request, parameters, times } = context;
	const shown = { id: form.id, name: await findName(context, progress, form) };
	const isPatient = form.delivery.health.count + 1 < FAILURES_UNTIL_REPORTED;
	try {
		const items = await createItems(
			events.map(({ event, record }) => ({ event, record, form: shown, fields })),
			{ context: request, output: parameters.output, ...times, isPatient },
		);
		recordSuccess(form.delivery, true);
		return items;
	} catch (cause) {
		noteFailedDelivery(context, progress, form, cause);
		return [];
	}
}

/** The name of a form; null if neither the Form parameter nor the list of all forms has it. */
async function findName(
	context: PollContext,
	{ isStopped }: Progress,
	form: WatchedForm,
): Promise<string | null> {
	const { memory, parameters, request } = context;
	const { formList } = memory;
	const chosen = getChosenName(request.n8n.getNode(), form.id);
	const findKnown = () => chosen ?? formList.forms.get(form.id)?.name;
	if (findKnown() === undefined && !parameters.lists.forms && !isStopped) {
		addFormRequests(form, await readNames(createReadContext(context), formList));
	}
	return findKnown() ?? null;
}

/**
 * Holds the events of a form that wait against the filters. Those that are not wanted are marked as seen.
 *
 * @returns undefined if none can be delivered now; else the fields, if they are needed
 */
async function sortOutEvents(
	context: PollContext,
	progress: Progress,
	form: WatchedForm,
	read: readonly IDataObject[] | undefined,
	states: Map<string, FormState>,
): Promise<{ fields?: readonly FormField[] } | undefined> {
	const { memory, occasion, parameters } = context;
	const { outbox } = memory;
	const { conditions, lists } = parameters;
	const byField = conditionsNeedFields(conditions);
	// a person who publishes the workflow is to see what is wrong with the conditions
	const isChecked = byField && occasion === 'publish' && read !== undefined;
	try {
		if (!byField) await filterEvents(context, form, states, []);
		const waiting = [...listWaiting(outbox, form.id).values()].map(({ record }) => record);
		if (waiting.length === 0 && !isChecked) return undefined;
		if (!lists.fields) return {};
		const fields = await loadFields(context, form, waiting);
		if (fields === undefined) return undefined;
		const problem = byField && findConditionProblem(conditions, fields, read ?? waiting);
		if (problem) throw createConditionError(context.request.n8n.getNode(), problem);
		if (byField) await filterEvents(context, form, states, fields);
		return { fields };
	} catch (cause) {
		noteFailedDelivery(context, progress, form, cause);
		return undefined;
	}
}

/** Sorts out the events that the filters have not seen yet. The log says what could not be compared. */
async function filterEvents(
	{ memory, parameters }: PollContext,
	{ id }: WatchedForm,
	states: Map<string, FormState>,
	fields: readonly FormField[],
): Promise<void> {
	const waiting = [...listWaiting(memory.outbox, id).values()];
	const unseen = waiting.filter(({ isWanted }) => !isWanted);
	if (unseen.length === 0) return;
	const possible = unseen.filter(({ event }) => parameters.events.includes(event));
	const met = await filterByConditions(possible, parameters.conditions, fields);
	const seen = waiting.filter(({ isWanted }) => isWanted);
	const wanted = new Set([...seen, ...met].map(({ fingerprint }) => fingerprint));
	const dropped = sortOut(memory.outbox, id, wanted);
	states.set(id, applyEvents(states.get(id) ?? {}, dropped));
}

/** A condition names a field that the form does not have. */
export function createConditionError(
	node: INode,
	{ message, description }: { message: string; description: string },
) {
	return createInputError(node, {
		message,
		description: `${description} No response is lost meanwhile.`,
		failure: { cause: 'configuration-invalid' },
	});
}

/**
 * The fields of a form, for conditions and items. They are read again after an hour, and if answers belong
 * to none of them. If no time is left for that, or if it fails, the last known fields are used.
 *
 * @param records the responses to deliver
 * @returns undefined if none are known yet and no time is left: the responses have to wait
 * @throws why they cannot be read, if none are known; NotSent if the account's queue is full
 */
async function loadFields(
	context: PollContext,
	form: WatchedForm,
	records: readonly IDataObject[],
): Promise<readonly FormField[] | undefined> {
	const { request, parameters, times } = context;
	const { logger } = request.n8n;
	const { fields: last } = form;
	const nowMs = clock.now();
	if (last !== undefined && !isOver(last.triedAtMs, HOUR_MS, nowMs)) {
		if (last.isUnmatched || !(await hasUnmatchedAnswers(records, last.fields))) return last.fields;
	}
	if (nowMs >= times.readUntilMs) {
		if (last === undefined)
			logger.info(`New responses of form ${form.id} wait until its fields are read.`);
		return last?.fields;
	}
	const target = createTarget(request.account, endpoints.listFields, { formId: form.id });
	const { pages, requests, isEnd, error } = await readPart(createReadContext(context), target);
	addFormRequests(form, requests);
	if (isEnd) {
		const fields = parseFields(
			pages.flatMap((page) => page.records),
			parameters.output,
		);
		const isUnmatched = await hasUnmatchedAnswers(records, fields);
		setFields(form, { fields, triedAtMs: nowMs, isUnmatched });
		return fields;
	}
	const failure = asNodeError(request.n8n.getNode(), error ?? createUnfinishedError(context));
	if (last === undefined || error instanceof NotSent) throw failure;
	setFields(form, { ...last, triedAtMs: nowMs });
	logger.warn(`The fields of form ${form.id} could not be read again: ${failure.message}`);
	return last.fields;
}

/** A list of fields that takes several polls has to be read in one. */
function createUnfinishedError({ request }: PollContext) {
	return new ServiceError(request.n8n.getNode(), {
		message: "Couldn't read all fields before n8n's poll timeout",
		description: 'The next poll tries again.',
		failure: { cause: 'temporarily-unavailable' },
	});
}
