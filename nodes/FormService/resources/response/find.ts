import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { conditionsNeedFields, findConditionMismatch } from '../../answers/conditions';
import type { FormField } from '../../answers/fields';
import { findResponses, isUnfilteredAndUnsorted } from '../../answers/findResponses';
import {
	createResponseItem,
	outputNeedsFields,
	type ResponseOutput,
} from '../../answers/responseItem';
import { endpoints, type Target } from '../../api/endpoints';
import { getId } from '../../api/records';
import { fetchRecords } from '../../api/replies/fetchPages';
import type { RequestContext } from '../../api/requestContext';
import { parseBoolean } from '../../api/values';
import { fetchOnce, type ItemRequest, type Operation } from '../../execution/operation';
import { filtersProperty, readResponseQuery, sortProperty } from '../../parameters/filters';
import {
	formLocator,
	readFormId,
	readResponseId,
	responseLocator,
} from '../../parameters/locators';
import {
	createOptionsProperty,
	createParameterError,
	readSelectedOption,
	toOptions,
} from '../../parameters/parameterContext';
import {
	limitProperties,
	outputOptions,
	readLimit,
	readResponseOutput,
	simplificationProperties,
} from '../../parameters/resultParameters';
import { fetchSharedFields } from '../forms';

/** The API has no endpoint for a single response, so the operation searches the responses of the form. */
export const responseGet: Operation = {
	option: {
		name: 'Get',
		value: 'get',
		action: 'Get response',
		description: 'Retrieve a response, chosen from a list or by its UUID',
	},
	endpoint: endpoints.listResponses,
	toolDescription:
		'Gets one response (submission) of a form by its UUID, with its answers by the labels of the fields.',
	properties: [
		formLocator,
		responseLocator,
		...simplificationProperties,
		createOptionsProperty(outputOptions),
	],
	prepare(input) {
		const formId = readFormId(input);
		const responseId = readResponseId(input);
		const output = readResponseOutput(input);
		return {
			ids: { formId },
			async read(request) {
				// several items need several pages, so they share the whole list
				const until = input.hasSeveralItems ? {} : { id: responseId };
				const records = await fetchRecordsById(request, until);
				const record = records.get(responseId);
				if (record === undefined) {
					throw createParameterError(
						input,
						`The form ${formId} has no response with the UUID ${responseId}`,
						'Check the UUID and the form. The response may have been deleted.',
					);
				}
				const needsFields = outputNeedsFields(output);
				const fields = needsFields ? await fetchSharedFields(request, formId, output) : undefined;
				return await createResponseItems(request, [record], output, fields);
			},
		};
	},
};

async function fetchRecordsById(request: ItemRequest, until: { id?: string }) {
	const fetch = async (context: RequestContext, target: Target) => {
		const { records } = await fetchRecords(context, target, until);
		return new Map(records.map((record) => [getId(record), record]));
	};
	return await fetchOnce(request, fetch, `IDs of ${request.target.url}`);
}

async function createResponseItems(
	{ context }: ItemRequest,
	records: readonly IDataObject[],
	output: ResponseOutput,
	fields?: readonly FormField[],
): Promise<INodeExecutionData[]> {
	const items: INodeExecutionData[] = [];
	// one after another, because the files of an item may have to be downloaded
	for (const record of records) {
		items.push(await createResponseItem(context, record, output, fields));
	}
	return items;
}

const STATUSES = { all: 'All', complete: 'Complete', incomplete: 'Incomplete' };

type Status = keyof typeof STATUSES;

const statusProperty: INodeProperties = {
	displayName: 'Status',
	name: 'status',
	type: 'options',
	default: 'all',
	description:
		'Which responses to return. Incomplete responses exist only if the form has "Track incomplete submissions" turned on.',
	options: toOptions(STATUSES),
};

export const responseGetAll: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many responses',
		description: 'Retrieve a list of responses of a form, filtered and sorted',
	},
	endpoint: endpoints.listResponses,
	toolDescription:
		'Lists the responses (submissions) of a form with their answers by the labels of the fields. Use it to answer questions about them.',
	properties: [
		formLocator,
		...limitProperties,
		statusProperty,
		filtersProperty,
		...simplificationProperties,
		createOptionsProperty(outputOptions),
		sortProperty,
	],
	prepare(input) {
		const formId = readFormId(input);
		const status = readSelectedOption(input, 'status', STATUSES, 'all');
		const limit = readLimit(input);
		const query = readResponseQuery(input);
		const output = readResponseOutput(input);
		const { conditions } = query;
		const needsFields = outputNeedsFields(output) || conditionsNeedFields(conditions);
		// the service may ignore the status, so a status needs the whole list as a filter does
		const stopsEarly = status === 'all' && isUnfilteredAndUnsorted(query);
		return {
			ids: { formId },
			// Form Service can filter only by this attribute (specification, section 4, rule 1)
			query: status === 'all' ? undefined : { incomplete: String(status === 'incomplete') },
			async read(request) {
				const fields = needsFields ? await fetchSharedFields(request, formId, output) : undefined;
				const problem = findConditionMismatch(conditions, fields ?? []);
				if (problem !== undefined) {
					throw createParameterError(input, problem.message, problem.description);
				}
				const until = stopsEarly ? { limit } : {};
				const { records } = await fetchResponses(request, until);
				const ofStatus = records.filter((record) => hasStatus(record, status));
				const found = await findResponses(ofStatus, query, fields);
				return await createResponseItems(request, found.slice(0, limit), output, fields);
			},
		};
	},
};

/** Items with the same limit share the list. */
async function fetchResponses(request: ItemRequest, until: { limit?: number }) {
	return await fetchOnce(
		request,
		async (context, target) => await fetchRecords(context, target, until),
		`${request.target.url} ${JSON.stringify(until)}`,
	);
}

function hasStatus(record: IDataObject, status: Status): boolean {
	const isIncomplete = parseBoolean(record.is_incomplete);
	// if a record has no `is_incomplete`, the node relies on Form Service to filter by the status
	if (status === 'all' || isIncomplete === undefined) return true;
	return isIncomplete === (status === 'incomplete');
}
