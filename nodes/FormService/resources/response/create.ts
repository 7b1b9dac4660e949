import type { IDataObject } from 'n8n-workflow';
import { endpoints } from '../../api/endpoints';
import { mayHaveActed } from '../../api/errors';
import { addResponse } from '../../api/service';
import type { ItemRequest, Operation } from '../../execution/operation';
import { getSelectedFormName, readFormId, formLocator } from '../../parameters/locators';
import { createInputModeProperty, createOptionsProperty } from '../../parameters/parameterContext';
import { fetchSharedFields } from '../forms';
import { encodeAnswers, readGivenAnswers } from './encodeAnswers';
import {
	findDuplicates,
	readKeyFieldNames,
	skipDuplicatesProperty,
	type Duplicates,
} from './skipDuplicates';

export const responseCreate: Operation = {
	option: {
		name: 'Create',
		value: 'create',
		action: 'Create response',
		description: 'Add a response to a form. No one is emailed about responses added here.',
	},
	endpoint: endpoints.addResponse,
	toolDescription:
		'Adds a response (submission) to a form, which cannot be changed or deleted afterward. Sends no emails. Required fields need an answer. Answers as JSON are an object by labels, custom keys or UUIDs of fields, with text, numbers, true or false, ISO dates, or lists of choices.',
	properties: [
		formLocator,
		createInputModeProperty('Specify Answers', {
			auto: 'Use the input fields that are named after fields of the form. Empty ones count as unanswered.',
			fields: 'Enter the answer to each field of the form',
			json: 'Provide all answers as JSON, by the labels, custom keys or UUIDs of fields',
		}),
		{
			displayName: 'Answers',
			name: 'fields',
			type: 'resourceMapper',
			noDataExpression: true,
			required: true,
			default: { mappingMode: 'defineBelow', value: null },
			description:
				'The answers. For several choices, switch the field to Expression and enter them with commas. For a file field, enter the URL of an already uploaded file.',
			typeOptions: {
				loadOptionsDependsOn: ['formId.value'],
				resourceMapper: {
					resourceMapperMethod: 'getFormFields',
					// in the mode 'add', n8n's error about a missing answer would name the UUID of the field
					mode: 'map',
					valuesLabel: 'Answers',
					fieldWords: { singular: 'field', plural: 'fields' },
					addAllFields: true,
					supportAutoMap: false,
					// getFormFields returns a notice if the list is empty
					hideNoDataError: true,
					// if the form has a new field, the editor shows the field when the user opens the node again
					refreshIncompleteSchemaOnOpen: true,
				},
			},
			displayOptions: { show: { inputMode: ['fields'] } },
		},
		{
			displayName: 'Answers (JSON)',
			name: 'answersJson',
			type: 'json',
			required: true,
			default: '{}',
			typeOptions: { rows: 6 },
			description:
				'An object with an answer for each field: text, a number, a boolean, a date or a list of these',
			hint: 'For example {"Your name": "Ada Lovelace"}',
			displayOptions: { show: { inputMode: ['json'] } },
		},
		createOptionsProperty([
			{
				displayName: 'Allow Missing Answers',
				name: 'allowMissingAnswers',
				type: 'boolean',
				default: true,
				description:
					'Whether to add a response even if required fields have no answer, such as fields that the form shows only under a condition',
			},
			{
				displayName: 'Allow "Other" Answers',
				name: 'allowOtherChoices',
				type: 'boolean',
				// a user who adds the option wants it to be on
				default: true,
				description:
					'Whether to accept answers that are not among the choices of a field. Turn on for fields with a free-text choice.',
			},
			skipDuplicatesProperty,
		]),
	],
	prepare(input) {
		const formId = readFormId(input);
		const given = readGivenAnswers(input);
		const keyFieldNames = readKeyFieldNames(input);
		const form = { id: formId, name: getSelectedFormName(input.node, formId) ?? null };
		return {
			ids: { formId },
			async check(request) {
				// Map Automatically finds the columns of One Column per Field
				const fields = await fetchSharedFields(request, formId, { columns: true });
				const { data, byTitle, ignored } = encodeAnswers(input, given, fields);
				const answered = { formId, fields, data };
				const duplicates =
					keyFieldNames && (await findDuplicates(request, input, keyFieldNames, answered));
				const output = { form, answers: byTitle, ...(ignored.length > 0 && { ignored }) };
				return async () => {
					const duplicate = duplicates?.uuids.get(duplicates.key);
					if (duplicate !== undefined) {
						return { isSent: false, json: { status: 'skipped', uuid: duplicate, ...output } };
					}
					const uuid = await sendResponse(request, data, duplicates);
					return { isSent: true, json: { status: 'created', uuid, ...output } };
				};
			},
		};
	},
};

/** Adds a response, so that later items with its key are skipped. Returns null if its UUID is unknown. */
async function sendResponse(
	{ context, target }: ItemRequest,
	data: IDataObject,
	duplicates: Duplicates | undefined,
): Promise<string | null> {
	const adding = addResponse(context, { ...target, body: { data } });
	adding.catch((error: unknown) => {
		if (mayHaveActed(error)) duplicates?.uuids.set(duplicates.key, null);
	});
	const uuid = (await adding) ?? null;
	duplicates?.uuids.set(duplicates.key, uuid);
	return uuid;
}
