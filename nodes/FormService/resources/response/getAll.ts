import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import {
	conditionsNeedFields,
	findConditionProblem,
	findValueProblem,
} from '../../api/answers/conditions';
import { findResponses, isUnfiltered } from '../../api/answers/findResponses';
import { getSubmissionTimeMs } from '../../api/recordTimes';
import { outputNeedsFields, createResponseItem } from '../../api/answers/responseItem';
import { endpoints } from '../../api/endpoints';
import { parseBoolean } from '../../api/parseValues';
import { listRecords } from '../../api/service';
import { filterProperties, readResponseQuery } from '../../parameters/filters';
import {
	createParameterError,
	readSelectedOption,
	readFormId,
} from '../../parameters/parameterContext';
import { formLocator, createOptionsProperty, toOptions } from '../../parameters/sharedProperties';
import {
	limitProperties,
	readLimit,
	readOutputFields,
	readPage,
	simplifyProperties,
} from '../../parameters/resultParameters';
import { outputOptions, readResponseOutput } from '../../parameters/responseOutput';
import { fetchOncePerRun, type Operation } from '../../execution/operation';
import { fetchSharedFields } from './sharedFields';

const STATUSES = { all: 'All', complete: 'Complete', incomplete: 'Incomplete' };

/** Which responses the listing has (specification, section 4, rule 1). */
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
				incomplete:
					'={{ $value === "complete" ? "false" : $value === "incomplete" ? "true" : undefined }}',
			},
		},
	},
};

export const responseGetAll: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many responses',
		description: 'Retrieve responses of a form, filtered and sorted',
	},
	endpoint: endpoints.listResponses,
	toolDescription:
		'Lists the responses (submissions) of a form with their answers by the labels of the fields. Use it to answer questions about them.',
	properties: [
		formLocator,
		...limitProperties,
		statusProperty,
		...filterProperties,
		...simplifyProperties,
		createOptionsProperty(outputOptions),
	],
	prepare(input) {
		const formId = readFormId(input);
		const status = readSelectedOption(input, 'status', 'Status', STATUSES);
		const limit = readLimit(input);
		const query = readResponseQuery(input);
		const output = readResponseOutput(input);
		return {
			ids: { formId },
			selection: { ...readPage(input), names: readOutputFields(input) },
			async read(request) {
				const { submittedAfterMs, submittedBeforeMs, conditions } = query;
				const needFields = outputNeedsFields(output) || conditionsNeedFields(conditions);
				// a list that is sorted or filtered has to be read whole
				const fetchLimit = status === 'all' && isUnfiltered(query) ? limit : undefined;
				const listed = await fetchOncePerRun(
					request,
					async (context, target) => await listRecords(context, target, fetchLimit),
					fetchLimit,
				);
				// a service may ignore the filter
				const records = listed.filter(
					({ is_incomplete: given }) =>
						status === 'all' || parseBoolean(given) !== (status === 'complete'),
				);
				const lacksTime = (record: IDataObject) => getSubmissionTimeMs(record) === undefined;
				// otherwise the filter would silently drop every response
				const hasPeriod = (submittedAfterMs ?? submittedBeforeMs) !== undefined;
				if (hasPeriod && records.length > 0 && records.every(lacksTime)) {
					throw createParameterError(
						input,
						'Form Service does not say when the responses were submitted',
						"Remove 'Submitted After' and 'Submitted Before' from the filters.",
					);
				}
				const fields = needFields ? await fetchSharedFields(request, formId, output) : undefined;
				const problem =
					findConditionProblem(conditions, fields ?? []) ??
					findValueProblem(conditions, fields ?? []);
				if (problem !== undefined)
					throw createParameterError(input, problem.message, problem.description);
				const found = await findResponses(records, query, fields);
				const items: INodeExecutionData[] = [];
				// one after another: an item can have files to download
				for (const record of found.slice(0, limit)) {
					items.push((await createResponseItem(request.context, record, output, fields)).item);
				}
				return items;
			},
		};
	},
};
