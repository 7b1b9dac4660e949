import { endpoints } from '../../api/endpoints';
import { addResponse } from '../../api/service';
import type { Input } from '../../parameters/input';
import { invalidAll, readFormId } from '../../parameters/input';
import { formLocator, inputModeChoice, optionsOf } from '../../parameters/properties';
import { fieldsOf } from '../operation';
import type { Operation, Prepared } from '../operation';
import { inPathOf, requestTo } from '../routing';
import { ANSWERS_MODE, problemsOf, readAnswers } from './answers';
import { addUnlessKnown, readIdentity, skipIfExists } from './skipExisting';

const endpoint = endpoints.addResponse;

export const responseCreate: Operation = {
	option: {
		name: 'Create',
		value: 'create',
		action: 'Create response',
		description: 'Add a response to a form',
		routing: requestTo(endpoint, prepare),
	},
	toolDescription:
		'Adds a response (submission) to a form. Answers are given by the UUID of each field, which "Get many fields" returns: text, a whole number, true or false, an ISO date, or a list for several choices; for a file, the URL of a file that is already uploaded elsewhere. Sends no emails. A response cannot be changed or deleted afterwards.',
	properties: [
		{
			displayName: "Responses created here don't send emails to administrators or the respondent",
			name: 'noEmailNotice',
			type: 'notice',
			default: '',
		},
		inPathOf(endpoint, formLocator),
		inputModeChoice(ANSWERS_MODE, [
			{
				name: 'Using Fields Below',
				value: 'fields',
				description: 'Enter the answer to each field of the form',
			},
			{
				name: 'Using JSON',
				value: 'json',
				description: 'Provide all answers as JSON, keyed by field UUID',
			},
		]),
		{
			displayName: 'Fields',
			name: 'fields',
			type: 'resourceMapper',
			noDataExpression: true,
			required: true,
			default: { mappingMode: 'defineBelow', value: null },
			description: 'The answers. For a file field, enter the URL of an already uploaded file.',
			typeOptions: {
				loadOptionsDependsOn: ['formId.value'],
				resourceMapper: {
					resourceMapperMethod: 'getFormFields',
					mode: 'add',
					valuesLabel: 'Answers',
					fieldWords: { singular: 'field', plural: 'fields' },
					addAllFields: true,
					supportAutoMap: true,
					// the method says why there are none
					hideNoDataError: true,
				},
			},
			displayOptions: { show: { inputMode: ['fields'] }, hide: { formId: [''] } },
		},
		{
			displayName: 'Answers (JSON)',
			name: 'answersJson',
			type: 'json',
			required: true,
			default: '{}',
			typeOptions: { rows: 6 },
			description:
				'An object with field UUIDs as keys. A value is text, a number, a boolean, a date or a list of these.',
			hint: 'For example {"5f1c9a52-…": "Ada Lovelace"}. Field: Get Many returns the UUIDs of the fields.',
			displayOptions: { show: { inputMode: ['json'] } },
		},
		optionsOf([skipIfExists]),
	],
};

function prepare(input: Input): Prepared {
	const formId = readFormId(input);
	const { answers, unsure } = readAnswers(input);
	const identity = readIdentity(input, answers);
	return {
		body: { data: answers },
		async send(request) {
			const { context, target, run } = request;
			if (unsure.length > 0) {
				const problems = problemsOf(unsure, await fieldsOf(request, formId));
				if (problems.length > 0) throw invalidAll(input, problems, "answers can't be sent");
			}
			const add = async () => await addResponse(context, target);
			const work = async () =>
				identity === undefined ? await add() : await addUnlessKnown(request, formId, identity, add);
			return [{ json: await run.onceOverTries(work) }];
		},
	};
}
