import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';
import {
	conditionsNeedFields,
	filterByConditions,
	findConditionFieldProblem,
	findConditionValueProblem,
} from '../../answers/conditions';
import type { FormField } from '../../answers/fields';
import { createResponseItem, nameAttribute, type ResponseOutput } from '../../answers/responseItem';
import { yieldIfDue } from '../../api/clock';
import { toNodeError, InputError } from '../../api/errors';
import type { ErrorText } from '../../api/errorTexts';
import type { RequestContext } from '../../api/requestContext';
import { getSelectedFormName } from '../../parameters/formId';
import type { ResponseEvent } from '../../parameters/triggerEvents';
import { waitUntilDeadline } from '../fetchList';
import { fetchFormFields, fetchFormName } from '../formDetails';
import type { OutputItem, PollContext } from '../pollContext';
import { hasSeveralForms } from '../triggerParameters';
import { sortEventsByPage, type DetectedResponseEvent } from './compareResponses';

/** The result of delivering the events of a form. */
export type Delivery = {
	items: readonly OutputItem[];
	/**
	 * The events for which the poll has no capacity or time, in the order of their pages. The trigger does not
	 * record these events. The next reading starts at the page of the first event, and detects the events again.
	 */
	undelivered: readonly DetectedResponseEvent[];
	/** How many requests were sent for the fields of the form. */
	fieldRequests: number;
};

/**
 * Delivers the events of a form that match the filters. Delivers as many events as the capacity and the time of
 * the poll allow.
 *
 * @param capacity how many more items the poll may deliver
 * @throws NodeApiError or NodeOperationError if fields cannot be fetched, or if a filter names an unknown field
 */
export async function deliverEvents(
	context: PollContext,
	formId: string,
	events: readonly DetectedResponseEvent[],
	capacity: number,
): Promise<Delivery> {
	const { request, parameters, times } = context;
	const { matches, fields, fieldRequests } = await filterEvents(context, formId, events);
	const { readDeadline, pollDeadline } = times;
	const sorted = sortEventsByPage(matches);
	const wanted = sorted.slice(0, capacity);
	const name = wanted.length === 0 ? null : await fetchFormName(context, formId);
	const form = { id: formId, name };
	const items = await createResponseItems(
		wanted.map(({ event, record }) => ({ event, record, form, fields })),
		{ request, output: parameters.output, readDeadline, pollDeadline },
	);
	await yieldIfDue();
	// `items` has the items of the first events in `sorted`
	return { items, undelivered: sorted.slice(items.length), fieldRequests };
}

type FilterResult = {
	matches: readonly DetectedResponseEvent[];
	/** The fields of the form. Undefined if neither the filters nor the items need the fields. */
	fields?: readonly FormField[];
	fieldRequests: number;
};

/**
 * Selects the events that match the filters.
 *
 * @throws NodeOperationError if a filter names a field that the form does not have; NodeApiError if the fields
 * cannot be fetched
 */
async function filterEvents(
	context: PollContext,
	formId: string,
	events: readonly DetectedResponseEvent[],
): Promise<FilterResult> {
	const { request, parameters, reason } = context;
	const { conditions, lists } = parameters;
	const needsFields = conditionsNeedFields(conditions);
	// when the user publishes the workflow, check the filters even if there is no event
	const checksAnyway = needsFields && isOnlyForm(context) && reason === 'publish';
	const isNeeded = events.length > 0 || checksAnyway;
	if (!lists.fields || !isNeeded) {
		return { matches: await filterByConditions(events, conditions, []), fieldRequests: 0 };
	}
	const records = events.map(({ record }) => record);
	const { fields, requests } = await fetchFormFields(context, formId, records);
	const problem = findProblem(context, formId, fields);
	if (problem && isOnlyForm(context)) throw createConditionError(request.n8n.getNode(), problem);
	const matches = await filterByConditions(events, conditions, fields);
	return { matches, fields, fieldRequests: requests };
}

/**
 * Finds a problem of the filters. Undefined if the filters fit the form. Checks the values of conditions only
 * when the user publishes the workflow, so that scheduled polls do not fail after the author of the form has
 * removed a choice.
 */
function findProblem(context: PollContext, formId: string, fields: readonly FormField[]) {
	const { cache, parameters, reason, request } = context;
	const { conditions } = parameters;
	if (!conditionsNeedFields(conditions)) return undefined;
	const selectedName = getSelectedFormName(request.n8n.getNode(), formId);
	const formName = cache.names.byId.get(formId) ?? selectedName ?? formId;
	const checksValues = reason === 'publish' && isOnlyForm(context);
	const valueProblem = checksValues ? findConditionValueProblem(conditions, fields) : undefined;
	return findConditionFieldProblem(conditions, fields, formName) ?? valueProblem;
}

function isOnlyForm({ parameters }: PollContext): boolean {
	return !hasSeveralForms(parameters.watch);
}

/** Creates the error for a condition that does not fit the fields of the form. */
export function createConditionError(node: INode, { message, description }: ErrorText) {
	return new InputError(node, {
		message,
		description: `${description} Fetch Test Event and publishing show this error as well. No response is lost meanwhile.`,
		failure: { cause: 'configuration-invalid' },
	});
}

/** A response event that starts the workflow. */
export type ResponseEventData = {
	event: ResponseEvent;
	record: IDataObject;
	/** The form. `name` is null if the name is unknown. */
	form: { id: string; name: string | null };
	/** The fields of the form, if they were fetched. */
	fields?: readonly FormField[];
};

export type ItemOptions = {
	request: RequestContext;
	output: ResponseOutput;
	/** With Download Files, no further item is created after this signal has aborted. */
	readDeadline?: AbortSignal;
	/** Aborts when downloads must end. */
	pollDeadline?: AbortSignal;
};

/**
 * Creates the items of events, in the order of the events. With Download Files, stops when the time of the
 * poll is up. Always creates the first item. Otherwise, a large file could block the form.
 *
 * @returns the items of the first events; later polls deliver the remaining events
 */
export async function createResponseItems(
	events: readonly ResponseEventData[],
	{ request, output, readDeadline, pollDeadline }: ItemOptions,
): Promise<OutputItem[]> {
	const items: OutputItem[] = [];
	const hasFiles = output.downloadFiles;
	for (const event of events) {
		if (hasFiles && items.length > 0 && readDeadline?.aborted) break;
		const work = createItem({ ...request, retry: true, signal: pollDeadline }, event, output);
		const item = hasFiles
			? await waitForFiles(request, event, work, { output, pollDeadline })
			: await work;
		items.push({ record: event.record, item });
	}
	return items;
}

/**
 * Waits for an item and the download of its files. If the download fails or takes longer than the poll,
 * returns the item without files, and with the reason as `fileError`.
 */
async function waitForFiles(
	request: RequestContext,
	event: ResponseEventData,
	work: Promise<INodeExecutionData>,
	{ output, pollDeadline }: Pick<ItemOptions, 'output' | 'pollDeadline'>,
): Promise<INodeExecutionData> {
	try {
		return await waitUntilDeadline(request, work, pollDeadline);
	} catch (cause) {
		const { message: fileError } = toNodeError(request.n8n.getNode(), cause);
		request.n8n.logger.warn(`A response is delivered without its files: ${fileError}`);
		const item = await createItem(request, event, { ...output, downloadFiles: false });
		return { ...item, json: { ...item.json, [nameAttribute('fileError', output)]: fileError } };
	}
}

/** Creates the item of an event. The item has the attributes of the response, then `event` and `form`. */
async function createItem(
	request: RequestContext,
	{ event, record, form, fields }: ResponseEventData,
	output: ResponseOutput,
): Promise<INodeExecutionData> {
	const { item, fileErrors } = await createResponseItem(request, record, output, fields);
	for (const { message } of fileErrors) {
		request.n8n.logger.warn(`A response is delivered without one of its files: ${message}`);
	}
	const [eventName, formName] = ['event', 'form'].map((name) => nameAttribute(name, output));
	return { ...item, json: { ...item.json, [eventName]: event, [formName]: { ...form } } };
}
