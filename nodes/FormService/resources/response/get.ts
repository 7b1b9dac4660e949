import { outputNeedsFields, toResponseItem } from '../../api/answers/responseItem';
import { endpoints } from '../../api/endpoints';
import { getId } from '../../api/records';
import { listRecords } from '../../api/service';
import { invalid, readFormId, readResponseId } from '../../parameters/input';
import {
	formLocator,
	makeOptions,
	responseLocator,
	simplifySwitch,
} from '../../parameters/properties';
import { outputOptions, readResponseOutput } from '../../parameters/responseOutput';
import { readOnce } from '../../execution/operation';
import type { Operation } from '../../execution/operation';
import { readNamedFields } from './fields';

/** The API has no endpoint for one response, so the response is taken from the list of its form. */
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
	properties: [formLocator, responseLocator, simplifySwitch, makeOptions(outputOptions)],
	prepare(input) {
		const formId = readFormId(input);
		const responseId = readResponseId(input);
		const output = readResponseOutput(input);
		return {
			ids: { formId },
			async read(request) {
				const records = await readOnce(request, listRecords);
				const record = records.find((one) => getId(one) === responseId);
				if (record === undefined) {
					throw invalid(
						input,
						`The form ${formId} has no response with the UUID ${responseId}`,
						'Check the UUID and the form. The response may have been deleted.',
					);
				}
				const fields = outputNeedsFields(output)
					? await readNamedFields(request, formId, output)
					: undefined;
				return [(await toResponseItem(request.context, record, output, fields)).item];
			},
		};
	},
};
