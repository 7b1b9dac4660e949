import { mapKeys, sortBy } from 'lodash';
import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';
import { describeMissingField, filterByConditions } from '../answers/conditions';
import { parseFields, type FormField } from '../answers/fields';
import { createResponseItem, nameAttribute, type ResponseOutput } from '../answers/responseItem';
import { clock, hasElapsed, HOUR_MS } from '../api/clock';
import { createTarget, endpoints } from '../api/endpoints';
import { hasReason, InputError, toNodeError } from '../api/errors';
import { sortByTime } from '../api/records';
import { createRequestError, type RequestContext } from '../api/requestContext';
import { createFailure, type ErrorText } from '../api/failures';
import { getSelectedFormName } from '../parameters/locators';
import type { ResponseEvent } from '../parameters/triggerEvents';
import { fetchForms } from './formList';
import type { OutputItem, PollContext } from './pollContext';
import { fetchListInTime, type DetectedEvent } from './readPages';
import { hasSeveralForms } from './triggerParameters';

/* Filters the events of a form, and makes items of them. */

export type Delivery = {
	items: readonly OutputItem[];
	/** The events that match the filters and find no capacity or time, in the order of their pages. */
	undelivered: readonly DetectedEvent[];
	/** How many requests were sent for the fields of the form. */
	fieldRequests: number;
};

/**
 * Delivers events, as many as there is capacity and time for. An event that does not match the filters counts as
 * delivered.
 *
 * @throws NodeApiError or NodeOperationError if the fields cannot be fetched, or if a filter does not fit them
 */
export async function deliverEvents(
	context: PollContext,
	formId: string,
	events: readonly DetectedEvent[],
	capacity: number,
): Promise<Delivery> {
	const { request, parameters, readUntilMs } = context;
	const { output, conditions } = parameters;
	const { fields, fieldRequests } = await fetchNeededFields(context, formId, events);
	const matches = await filterByConditions(events, conditions, fields ?? []);
	// by page first, because the next reading starts at the page of the first undelivered event
	const sorted = sortBy(sortByTime(matches, 'oldest'), 'pageIndex');
	const wanted = sorted.slice(0, capacity);
	const name = wanted.length === 0 ? null : await fetchFormName(context, formId);
	const form = { id: formId, name };
	const items = await createEventItems(
		wanted.map(({ event, record }) => ({ event, record, form, fields })),
		{ request, output, readUntilMs },
	);
	return { items, undelivered: sorted.slice(items.length), fieldRequests };
}

/** Finds the name of a form, at most once an hour in the list of all forms. Null if it is unknown. */
async function fetchFormName(context: PollContext, formId: string): Promise<string | null> {
	const { request, cache, parameters } = context;
	const name = cache.names.get(formId) ?? getSelectedFormName(request.n8n.getNode(), formId);
	const isRecent = !hasElapsed(cache.namesFetchedAtMs, HOUR_MS, clock.now());
	if (name !== undefined || parameters.lists.forms || isRecent) return name ?? null;
	cache.namesFetchedAtMs = clock.now();
	try {
		await fetchForms(context);
	} catch (error) {
		const { message } = toNodeError(request.n8n.getNode(), error);
		request.n8n.logger.info(`The names of the forms could not be read: ${message}`);
	}
	return cache.names.get(formId) ?? null;
}

type NeededFields = { fields?: readonly FormField[]; fieldRequests: number };

/**
 * Fetches the fields for filters and items.
 *
 * @throws InputError if the only form lacks the field of a filter
 */
async function fetchNeededFields(
	context: PollContext,
	formId: string,
	events: readonly DetectedEvent[],
): Promise<NeededFields> {
	const { parameters, request } = context;
	const { conditions, lists, output, watch } = parameters;
	if (!lists.fields || events.length === 0) return { fieldRequests: 0 };
	const target = createTarget(request.account, endpoints.listFields, { formId });
	const { records, requests } = await fetchListInTime(context, target);
	const fields = parseFields(records, output);
	// values are not checked, because a choice that the author removes later must not make polls fail
	const problem = hasSeveralForms(watch) ? undefined : describeMissingField(conditions, fields);
	if (problem !== undefined) throw createConditionError(request.n8n.getNode(), problem);
	return { fields, fieldRequests: requests };
}

/** Creates the error for a filter that does not fit the fields of the form. */
export function createConditionError(node: INode, { message, description }: ErrorText) {
	return new InputError(node, {
		message,
		description: `${description} Responses wait until the filter is corrected.`,
	});
}

/** What an item is made of. The name of the form is null if it is unknown. */
export type ResponseEventData = Readonly<{
	event: ResponseEvent;
	record: OutputItem['record'];
	form: { id: string; name: string | null };
	fields?: readonly FormField[];
}>;

type ItemOptions = {
	request: RequestContext;
	output: ResponseOutput;
	/** From then on, no further item with files is created. */
	readUntilMs?: number;
};

/** Creates items. If they have files, creates the first one and as many others as there is time for. */
export async function createEventItems(
	events: readonly ResponseEventData[],
	options: ItemOptions,
): Promise<OutputItem[]> {
	const items: OutputItem[] = [];
	const { output, readUntilMs = Infinity } = options;
	for (const event of events) {
		const isLate = items.length > 0 && clock.now() >= readUntilMs;
		if (output.downloadFiles && isLate) break;
		items.push({ record: event.record, item: await createItem(event, options) });
	}
	return items;
}

/** Creates an item, without its files if the poll ends before they have come. */
async function createItem(
	{ event, record, form, fields }: ResponseEventData,
	{ request, output }: ItemOptions,
): Promise<INodeExecutionData> {
	const create = async (given: ResponseOutput) =>
		await createResponseItem(request, record, given, fields);
	const attributes: IDataObject = { event, form: { ...form } };
	const item = await create(output).catch(async (error: unknown) => {
		if (!hasReason(error, 'canceled')) throw error;
		const { message } = createRequestError(request, createFailure('pollTimedOut'));
		attributes.fileError = message;
		return await create({ ...output, downloadFiles: false });
	});
	const named = mapKeys(attributes, (_value, name) => nameAttribute(name, output));
	return { ...item, json: { ...item.json, ...named } };
}
