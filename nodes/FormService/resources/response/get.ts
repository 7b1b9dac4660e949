import type { IDataObject } from 'n8n-workflow';
import { outputNeedsFields, createResponseItem } from '../../answers/responseItem';
import { endpoints } from '../../api/endpoints';
import { getRecordKey, toComparableId } from '../../api/records';
import { fetchRecords } from '../../api/replies/listReader';
import {
	readFormId,
	readResponseId,
	formLocator,
	responseLocator,
} from '../../parameters/locators';
import { createParameterError, createOptionsProperty } from '../../parameters/parameterContext';
import {
	outputOptions,
	readOutputFields,
	readResponseOutput,
	simplificationProperties,
} from '../../parameters/resultParameters';
import { shareInRun, type Operation } from '../../execution/operation';
import { fetchSharedFields } from './sharedFields';

/**
 * The operation Response: Get. The API has no endpoint for a single response, so the operation searches the
 * responses of the form.
 */
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
			selection: { names: readOutputFields(input) },
			async read(request) {
				const records = await shareInRun(
					request,
					`records of ${request.target.url}`,
					async (context) => indexRecords(await fetchRecords(context, request.target)),
				);
				const record = records.get(toComparableId(responseId));
				if (record === undefined) {
					throw createParameterError(
						input,
						`The form ${formId} has no response with the UUID ${responseId}`,
						'Check the UUID and the form. The response may have been deleted.',
					);
				}
				const fields = outputNeedsFields(output)
					? await fetchSharedFields(request, formId, output)
					: undefined;
				return [(await createResponseItem(request.context, record, output, fields)).item];
			},
		};
	},
};

function indexRecords(records: readonly IDataObject[]): ReadonlyMap<string, IDataObject> {
	return new Map(records.map((record) => [getRecordKey(record), record]));
}
