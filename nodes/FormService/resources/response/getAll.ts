import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { conditionsNeedFields, findConditionProblem } from '../../api/answers/conditions';
import { findResponses, isEveryResponse } from '../../api/answers/findResponses';
import { getSubmissionTime } from '../../api/answers/order';
import { outputNeedsFields, toResponseItem } from '../../api/answers/responseItem';
import { endpoints } from '../../api/endpoints';
import { readBoolean } from '../../api/readers';
import { listRecords } from '../../api/service';
import { filterParameters, readWanted } from '../../parameters/filters';
import { invalid, readChoice, readFormId, readLimit } from '../../parameters/input';
import {
	formLocator,
	limitInput,
	makeOptions,
	returnAllSwitch,
	simplifySwitch,
	toOptions,
} from '../../parameters/properties';
import { outputOptions, readResponseOutput } from '../../parameters/responseOutput';
import { readOnce } from '../../execution/operation';
import type { Operation } from '../../execution/operation';
import { readNamedFields } from './fields';

const STATUSES = { all: 'All', complete: 'Complete', incomplete: 'Incomplete' };

/** Which responses the listing has (specification, section 4, rule 1). */
const statusChoice: INodeProperties = {
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
		returnAllSwitch,
		limitInput,
		statusChoice,
		...filterParameters,
		simplifySwitch,
		makeOptions(outputOptions),
	],
	prepare(input) {
		const formId = readFormId(input);
		const status = readChoice(input, 'status', 'Status', STATUSES);
		const limit = readLimit(input);
		const wanted = readWanted(input);
		const output = readResponseOutput(input);
		return {
			ids: { formId },
			async read(request) {
				const { after, before, conditions } = wanted;
				const needFields = outputNeedsFields(output) || conditionsNeedFields(conditions);
				// a listing that is sorted or filtered has to be read whole
				const enough = status === 'all' && isEveryResponse(wanted) ? limit : undefined;
				const listed = await readOnce(
					request,
					async (context, target) => await listRecords(context, target, enough),
					enough,
				);
				// a service may ignore the filter
				const records = listed.filter(
					({ is_incomplete: given }) =>
						status === 'all' || readBoolean(given) !== (status === 'complete'),
				);
				const lacksTime = (record: IDataObject) => getSubmissionTime(record) === undefined;
				// otherwise the filter would silently drop every response
				if ((after ?? before) !== undefined && records.length > 0 && records.every(lacksTime)) {
					throw invalid(
						input,
						'Form Service does not say when the responses were submitted',
						"Remove 'Submitted After' and 'Submitted Before' from the filters.",
					);
				}
				const fields = needFields ? await readNamedFields(request, formId, output) : undefined;
				const problem = findConditionProblem(conditions, fields ?? []);
				if (problem !== undefined) throw invalid(input, problem.message, problem.description);
				const found = await findResponses(records, wanted, fields);
				const items: INodeExecutionData[] = [];
				// one after another: an item can have files to download
				for (const record of found.slice(0, limit)) {
					items.push((await toResponseItem(request.context, record, output, fields)).item);
				}
				return items;
			},
		};
	},
};
