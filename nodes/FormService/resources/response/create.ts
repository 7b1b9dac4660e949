import type { INodeProperties } from 'n8n-workflow';
import { addResponse } from '../../api/service';
import type { Operation } from '../../routing/operation';
import { readFormId } from '../common/input';
import { inputModeChoice, readInputMode } from '../common/inputMode';
import { formLocator } from '../common/properties';
import { readAnswersFromFields } from './answersFromFields';
import { readAnswersFromJson } from './answersFromJson';

const showOnlyForResponseCreate = { resource: ['response'], operation: ['create'] };

const MODE = 'Specify Answers';

export const responseCreateProperties: INodeProperties[] = [
	{
		displayName:
			'A response that is added here triggers no e-mail, neither to administrators nor to the respondent',
		name: 'noEmailNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: showOnlyForResponseCreate },
	},
	{ ...formLocator, displayOptions: { show: showOnlyForResponseCreate } },
	{
		...inputModeChoice(MODE, {
			ofFields: 'Give the answer to each field of the form',
			ofJson: 'Give all answers as JSON, by the UUIDs of the fields',
		}),
		displayOptions: { show: showOnlyForResponseCreate },
	},
	{
		displayName: 'Fields',
		name: 'fields',
		type: 'resourceMapper',
		noDataExpression: true,
		required: true,
		default: { mappingMode: 'defineBelow', value: null },
		description:
			'The answers. For a file field, give the URL of a file that is already uploaded elsewhere.',
		typeOptions: {
			loadOptionsDependsOn: ['formId.value'],
			resourceMapper: {
				resourceMapperMethod: 'getFormFields',
				mode: 'add',
				valuesLabel: 'Answers',
				fieldWords: { singular: 'field', plural: 'fields' },
				addAllFields: true,
				supportAutoMap: true,
				noFieldsError: 'This form has no fields that take an answer',
			},
		},
		displayOptions: { show: { ...showOnlyForResponseCreate, inputMode: ['fields'] } },
	},
	{
		displayName: 'Answers (JSON)',
		name: 'answersJson',
		type: 'json',
		required: true,
		default: '{}',
		typeOptions: { rows: 6 },
		description:
			'An object with the UUID of a field as each key, and as its value text, a number, a boolean, a date or a list of these',
		hint: 'For example {"5f1c9a52-…": "Ada Lovelace"}. Field: Get Many gives the UUIDs of the fields.',
		displayOptions: { show: { ...showOnlyForResponseCreate, inputMode: ['json'] } },
	},
];

export const responseCreate: Operation = {
	prepare(input) {
		const formId = readFormId(input);
		const mode = readInputMode(input, MODE);
		const answers = mode === 'json' ? readAnswersFromJson(input) : readAnswersFromFields(input);
		return async (sender, run) => [
			{
				json: await run.onceOverTries(
					input.itemIndex,
					async () => await addResponse(sender, formId, answers),
				),
			},
		];
	},
};
