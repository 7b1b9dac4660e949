import { outputNeedsFields, createResponseItem } from '../../answers/responseItem';
import { endpoints } from '../../api/endpoints';
import { toComparableId } from '../../api/records';
import { createListReader } from '../../api/replies/listReader';
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
				const { target } = request;
				const readList = await shareInRun(
					request,
					`reader of ${target.url}`,
					async () => await Promise.resolve(createListReader(target)),
				);
				const comparableId = toComparableId(responseId);
				// fetch no page after the page that has the response
				const found = await readList(request.context, (records) => records.has(comparableId));
				const record = found.get(comparableId);
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
