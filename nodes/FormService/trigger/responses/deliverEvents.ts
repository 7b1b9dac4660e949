import type { INode } from 'n8n-workflow';
import {
	conditionsNeedFields,
	filterByConditions,
	findConditionProblem,
	findValueProblem,
} from '../../api/answers/conditions';
import type { FormField } from '../../api/answers/fields';
import { hasUnmatchedAnswers } from '../../api/answers/matchAnswers';
import { yieldIfDue } from '../../api/clock';
import { InputError } from '../../api/errors';
import { getSelectedFormName } from '../../parameters/formId';
import { findFormName } from '../formNames';
import type { OutputItem, PollContext } from '../pollContext';
import { hasSeveralForms } from '../triggerParameters';
import { sortEventsByPage, type DetectedEvent } from './compareResponses';
import { fetchFormFields } from './formFields';
import { createResponseItems } from './responseItems';

/** How events of responses become items. */

export type Delivery = {
	items: readonly OutputItem[];
	/** Events without capacity or time. They are not recorded, so a later reading detects them again. */
	undelivered: readonly DetectedEvent[];
	/** How many requests the fields took. */
	fieldRequests: number;
};

/**
 * Delivers the events of a form that meet the filters, as many as there is capacity and time for.
 *
 * @param capacity how many items the poll may still deliver
 * @throws NodeApiError or NodeOperationError if the filters or the items lack something that they need
 */
export async function deliverEvents(
	context: PollContext,
	formId: string,
	events: readonly DetectedEvent[],
	capacity: number,
): Promise<Delivery> {
	const { request, parameters, times } = context;
	const { matches, fields, fieldRequests } = await filterEvents(context, formId, events);
	const sorted = sortEventsByPage(matches);
	const wanted = sorted.slice(0, capacity);
	const name = wanted.length === 0 ? null : await findFormName(context, formId);
	const form = { id: formId, name };
	const items = await createResponseItems(
		wanted.map(({ event, record }) => ({ event, record, form, fields })),
		{ request, output: parameters.output, ...times },
	);
	await yieldIfDue();
	return { items, undelivered: sorted.slice(items.length), fieldRequests };
}

type FilterResult = {
	matches: readonly DetectedEvent[];
	/** Undefined if neither the filters nor the items need them. */
	fields?: readonly FormField[];
	fieldRequests: number;
};

/**
 * Filters the events of a form.
 *
 * @throws NodeOperationError if a filter names a field that the form does not have; NodeApiError if the fields
 * cannot be fetched
 */
async function filterEvents(
	context: PollContext,
	formId: string,
	events: readonly DetectedEvent[],
): Promise<FilterResult> {
	const { request, parameters, reason } = context;
	const { conditions, lists } = parameters;
	const needsFields = conditionsNeedFields(conditions);
	// a person who publishes the workflow is to see what is wrong with the filters
	const checksAnyway = needsFields && isOnlyForm(context) && reason === 'publish';
	const isNeeded = events.length > 0 || checksAnyway;
	if (!lists.fields || !isNeeded) {
		return { matches: await filterByConditions(events, conditions, []), fieldRequests: 0 };
	}
	const records = events.map(({ record }) => record);
	let { fields, requests: fieldRequests } = await fetchFormFields(context, formId);
	if (findProblem(context, formId, fields) || (await hasUnmatchedAnswers(records, fields))) {
		const refreshed = await fetchFormFields(context, formId, true);
		fields = refreshed.fields;
		fieldRequests += refreshed.requests;
	}
	const problem = findProblem(context, formId, fields);
	// of several forms, one can lack a field that others have: its responses do not match
	if (problem && isOnlyForm(context)) throw createConditionError(request.n8n.getNode(), problem);
	return { matches: await filterByConditions(events, conditions, fields), fields, fieldRequests };
}

/** Finds out what is wrong with the conditions. A running trigger continues if a choice is changed. */
function findProblem(context: PollContext, formId: string, fields: readonly FormField[]) {
	const { cache, parameters, reason, request } = context;
	const { conditions } = parameters;
	if (!conditionsNeedFields(conditions)) return undefined;
	const selectedName = getSelectedFormName(request.n8n.getNode(), formId);
	const formName = cache.names.byId.get(formId) ?? selectedName ?? formId;
	const checksValues = reason === 'publish' && isOnlyForm(context);
	const valueProblem = checksValues ? findValueProblem(conditions, fields) : undefined;
	return findConditionProblem(conditions, fields, formName) ?? valueProblem;
}

function isOnlyForm({ parameters }: PollContext): boolean {
	return !hasSeveralForms(parameters.watch);
}

/** Returns the error for a condition that names a field that the form does not have. */
export function createConditionError(
	node: INode,
	{ message, description }: { message: string; description: string },
) {
	return new InputError(node, {
		message,
		description: `${description} Fetch Test Event and publishing show this error as well. No response is lost meanwhile.`,
		failure: { cause: 'configuration-invalid' },
	});
}
