import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { conditionsNeedFields, findConditionMismatch } from '../../answers/conditions';
import type { FormField } from '../../answers/fields';
import {
	findResponses,
	isUnfilteredAndUnsorted,
	type ResponseQuery,
} from '../../answers/findResponses';
import { outputNeedsFields, createResponseItem } from '../../answers/responseItem';
import { endpoints } from '../../api/endpoints';
import { parseBoolean } from '../../api/values';
import { fetchRecords } from '../../api/replies/listReader';
import { filtersProperty, readResponseQuery, sortProperty } from '../../parameters/filters';
import { readFormId, formLocator } from '../../parameters/locators';
import {
	createParameterError,
	readSelectedOption,
	type ParameterContext,
	createOptionsProperty,
	toOptions,
} from '../../parameters/parameterContext';
import {
	limitProperties,
	outputOptions,
	readLimit,
	readOutputFields,
	readResponseOutput,
	readToolRange,
	simplificationProperties,
} from '../../parameters/resultParameters';
import { shareInRun, type Operation } from '../../execution/operation';
import { fetchSharedFields } from './sharedFields';

const STATUSES = { all: 'All', complete: 'Complete', incomplete: 'Incomplete' };

/** The values of the query parameter `incomplete`, by status (specification, section 4, rule 1). */
const INCOMPLETE_QUERY = {
	complete: 'false',
	incomplete: 'true',
} satisfies Partial<typeof STATUSES>;

/** The parameter Status. The request asks Form Service for responses with this status. */
const statusProperty: INodeProperties = {
	displayName: 'Status',
	name: 'status',
	type: 'options',
	default: 'all',
	description:
		'Which responses to return. Incomplete responses exist only if the form has "Track incomplete submissions" turned on.',
	options: toOptions(STATUSES),
	routing: {
		request: {
			qs: {
				incomplete: `={{ (${JSON.stringify(INCOMPLETE_QUERY)})[$value] }}`,
			},
		},
	},
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
		// undefined with Return All, and in a tool, whose output has the total number of responses
		const limit = readLimit(input);
		const query = readResponseQuery(input);
		const output = readResponseOutput(input);
		return {
			ids: { formId },
			selection: { ...readToolRange(input), names: readOutputFields(input) },
			async read(request) {
				const needFields = outputNeedsFields(output) || conditionsNeedFields(query.conditions);
				const fields = needFields ? await fetchSharedFields(request, formId, output) : undefined;
				checkConditions(input, query, fields);
				// a filter or a sort order needs the whole list; so does a status, because Form Service may ignore the
				// status
				const needsWholeList =
					limit === undefined || status !== 'all' || !isUnfilteredAndUnsorted(query);
				const neededCount = needsWholeList ? undefined : limit;
				const listed = await shareInRun(
					request,
					`${request.target.url} up to ${neededCount ?? 'its end'}`,
					async (context) => await fetchRecords(context, request.target, neededCount),
				);
				const records = listed.filter((record) => hasStatus(record, status));
				const found = await findResponses(records, query, fields);
				const { conditions } = query;
				const items: INodeExecutionData[] = [];
				// one after another, because the files of an item may have to be downloaded
				for (const record of found.slice(0, limit)) {
					const created = createResponseItem(request.context, record, output, fields, conditions);
					items.push((await created).item);
				}
				return items;
			},
		};
	},
};

/**
 * Checks the conditions against the fields of the form.
 *
 * @throws InputError if a condition names an unknown field, or a value that its field does not offer
 */
function checkConditions(
	input: ParameterContext,
	{ conditions }: ResponseQuery,
	fields: readonly FormField[] = [],
): void {
	const problem = findConditionMismatch(conditions, fields);
	if (problem !== undefined) {
		throw createParameterError(input, problem.message, problem.description);
	}
}

/**
 * Whether a response has the chosen status. The service may ignore the status in the request, so the node
 * checks each response.
 */
function hasStatus(record: IDataObject, status: keyof typeof STATUSES): boolean {
	const isIncomplete = parseBoolean(record.is_incomplete);
	// if a record has no `is_incomplete`, the node relies on Form Service to filter by the status
	if (status === 'all' || isIncomplete === undefined) return true;
	return isIncomplete === (status === 'incomplete');
}
