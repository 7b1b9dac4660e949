import type { INode } from 'n8n-workflow';
import {
	conditionsNeedFields,
	filterByConditions,
	findConditionProblem,
	findValueProblem,
} from '../api/answers/conditions';
import { parseFields, type FormField } from '../api/answers/fields';
import { hasUnmatchedAnswers } from '../api/answers/matchAnswers';
import { clock, yieldIfDue } from '../api/clock';
import { createTarget, endpoints } from '../api/endpoints';
import { asNodeError, createInputError, isCanceled } from '../api/errors';
import {
	applyComparison,
	sortEventsByPage,
	type Comparison,
	type DetectedEvent,
} from './compareResponses';
import { findFormName } from './formList';
import { encodeSeenResponses, pruneSeenResponses } from './seenResponses';
import { createItems } from './createItems';
import { addDebt, HOUR_MS, hasElapsed } from './requestBudget';
import { computeFormIntervalMs, getCapacity, type OutputItem, type Poll } from './pollContext';
import { isFirstFullPass, advancePass, type PassKind } from './passes';
import { fetchWholeList, type ListSlice } from './fetchSlice';
import { hasSeveralForms } from './triggerParameters';
import type { FormState } from './triggerState';

/** How events of responses become items, and what is known of their form then. */

/** One reading of a form in one poll. */
export type FormSlice = {
	formId: string;
	scope: PassKind;
	/** What is known of the form without the reading. */
	state: FormState;
	/** Epoch milliseconds. */
	startedAtMs: number;
	part: ListSlice;
	/** Whether the pages have as many events as there is room for. */
	isFull: boolean;
	comparison: Comparison;
};

/**
 * Delivers the events of a reading: those that the filters let pass, as many as there is room and time for.
 * What is left is not taken note of, and a later reading finds it again.
 *
 * @throws why the filters or the items need something that cannot be had: nothing is taken note of
 */
export async function deliverEvents(poll: Poll, reading: FormSlice): Promise<void> {
	const { met, fields, requests } = await filterEvents(poll, reading);
	const wanted = sortEventsByPage(met);
	const items = await makeItems(poll, reading.formId, wanted.slice(0, getCapacity(poll)), fields);
	const left = wanted.slice(items.length);
	const hasDelivered = items.length > 0;
	await yieldIfDue();
	poll.forms.set(reading.formId, learn(poll, reading, left, { requests, hasDelivered }));
	poll.items.push(...items);
}

/**
 * What is known of a form after a reading: all but the events that are left, and where the reading goes on.
 *
 * @param requests those for fields
 */
function learn(
	poll: Poll,
	{ formId, scope, state, startedAtMs, part, isFull, comparison }: FormSlice,
	left: readonly DetectedEvent[],
	{ requests, hasDelivered }: { requests: number; hasDelivered: boolean },
): FormState {
	// later pages can have more events than there is room for
	const again = left[0]?.page ?? (isFull && !part.isEnd ? part.pages.at(-1) : undefined);
	const moved = advancePass(state, scope, part, again);
	const isRoundOver = scope === 'all' && part.isEnd && left.length === 0;
	const listed = applyComparison(comparison, new Set(left));
	const { known, sweep } = isRoundOver
		? pruneSeenResponses(listed, state.sweep, startedAtMs)
		: { known: listed, sweep: state.sweep };
	const isSame = known === comparison.before && state.known !== undefined;
	const text = isSame ? state.known : encodeSeenResponses(known);
	poll.memory.decoded.set(formId, { text: text!, known });
	// a first reading is on top of Requests per Day
	const pages = scope === 'all' && isFirstFullPass(state) ? 1 : part.requests;
	const spacingMs = computeFormIntervalMs(poll, formId);
	const pace = addDebt(state.pace, pages + requests, spacingMs, startedAtMs);
	const deliveredAtMs = hasDelivered ? startedAtMs : state.deliveredAtMs;
	return { ...moved, known: text, sweep, pace, deliveredAtMs };
}

/** The items of events, as many as there is time for. */
async function makeItems(
	poll: Poll,
	formId: string,
	events: readonly DetectedEvent[],
	fields: readonly FormField[] | undefined,
): Promise<OutputItem[]> {
	if (events.length === 0) return [];
	const { request, parameters, times } = poll;
	const form = { id: formId, name: await findFormName(poll, formId) };
	return await createItems(
		events.map(({ event, record }) => ({ event, record, form, fields })),
		{ context: request, output: parameters.output, ...times },
	);
}

/** Events that the filters let pass; the fields, if they were needed; and the requests for them. */
type Filtered = { met: DetectedEvent[]; fields?: readonly FormField[]; requests: number };

/**
 * Holds the events of a form against the filters.
 *
 * @throws NodeOperationError if a filter names a field that the form does not have; why the fields cannot
 * be read
 */
async function filterEvents(poll: Poll, { formId, comparison }: FormSlice): Promise<Filtered> {
	const { request, parameters, occasion } = poll;
	const { conditions, lists } = parameters;
	const events = [...comparison.found.values()];
	const byField = conditionsNeedFields(conditions);
	// a person who publishes the workflow is to see what is wrong with the filters
	const isNeeded = events.length > 0 || (byField && occasion === 'publish');
	if (!lists.fields || !isNeeded) {
		return { met: await filterByConditions(events, conditions, []), requests: 0 };
	}
	const answered = events.map(({ record }) => record);
	// a running trigger goes on if the form's author changes a choice
	const checksValues = occasion === 'publish' && !hasSeveralForms(parameters.watch);
	const findProblem = (fields: readonly FormField[]) =>
		byField
			? (findConditionProblem(conditions, fields) ??
				(checksValues ? findValueProblem(conditions, fields) : undefined))
			: undefined;
	let { fields, requests } = await readFormFields(poll, formId);
	if (findProblem(fields) || (await hasUnmatchedAnswers(answered, fields))) {
		const again = await readFormFields(poll, formId, true);
		[fields, requests] = [again.fields, requests + again.requests];
	}
	const problem = findProblem(fields);
	if (problem) throw createConditionError(request.n8n.getNode(), problem);
	return { met: await filterByConditions(events, conditions, fields), fields, requests };
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
 * The fields of a form, as they were within the hour, and the requests for them. If they cannot be read
 * again, those of before are used.
 *
 * @param isDoubtful the fields do not fit, so they are read again, once in the hour
 * @throws why the fields cannot be read, if they never were
 */
async function readFormFields(poll: Poll, formId: string, isDoubtful = false) {
	const { memory, parameters, request } = poll;
	const last = memory.fields.get(formId);
	const nowMs = clock.now();
	const isRecent = last !== undefined && !hasElapsed(last.readAtMs, HOUR_MS, nowMs);
	if (isRecent && (!isDoubtful || last.isAgain)) return { ...last, requests: 0 };
	const target = createTarget(request.account, endpoints.listFields, { formId });
	const times = { readAtMs: isRecent ? last.readAtMs : nowMs, isAgain: isRecent };
	try {
		const { records, requests } = await fetchWholeList(poll, target, 'fields');
		const read = { ...times, fields: parseFields(records, parameters.output) };
		memory.fields.set(formId, read);
		return { ...read, requests };
	} catch (cause) {
		const error = asNodeError(request.n8n.getNode(), cause);
		if (last === undefined || isCanceled(cause)) throw error;
		const text = `The fields of form ${formId} could not be read again: ${error.message}`;
		request.n8n.logger.warn(text);
		memory.fields.set(formId, { ...last, ...times });
		return { ...last, requests: 1 };
	}
}
