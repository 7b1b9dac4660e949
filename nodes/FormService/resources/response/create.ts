import type { IDataObject } from 'n8n-workflow';
import { parseInputFields } from '../../api/answers/fields';
import { endpoints } from '../../api/endpoints';
import { mayHaveActed } from '../../api/errors';
import { addResponse } from '../../api/service';
import { getChosenName } from '../../parameters/formId';
import { readFormId, readCollection, toSwitch } from '../../parameters/input';
import {
	formLocator,
	makeColumnsNotice,
	makeInputModeChoice,
	makeOptions,
	showOnceFormIsChosen,
} from '../../parameters/properties';
import { readFormFields } from '../../execution/operation';
import type { Operation } from '../../execution/operation';
import { ALLOW_MISSING, ANSWERS_MODE, readAnswers, readGivenAnswers } from './answers';
import { findDuplicates, findIdentity, readSkipNames, skipDuplicates } from './duplicates';
import type { Known } from './duplicates';

const ALLOW_OTHER = 'Allow "Other" Answers';

export const responseCreate: Operation = {
	option: {
		name: 'Create',
		value: 'create',
		action: 'Create response',
		description: 'Add a response to a form',
	},
	endpoint: endpoints.addResponse,
	toolDescription:
		'Adds a response (submission) to a form, which cannot be changed or deleted afterward. Sends no emails. Answers as JSON are an object by labels, custom keys or UUIDs of fields, with text, numbers, true or false, ISO dates, or lists of choices.',
	properties: [
		{
			displayName: 'No one is emailed about responses added here',
			name: 'noEmailNotice',
			type: 'notice',
			default: '',
		},
		formLocator,
		showOnceFormIsChosen(
			makeInputModeChoice(ANSWERS_MODE, {
				auto: "Use the input fields that match a field's label, custom key or UUID",
				fields: 'Enter the answer to each field of the form',
				json: 'Provide all answers as JSON, by label, custom key or UUID',
			}),
		),
		showOnceFormIsChosen(
			makeColumnsNotice(
				'Name the columns after fields of the form, by label, custom key or UUID. Empty cells are no answers.',
			),
		),
		showOnceFormIsChosen({
			displayName: 'Answers',
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
					supportAutoMap: false,
					// getFormFields explains an empty list
					hideNoDataError: true,
					// shows a field that was added to the form as soon as the node is opened again
					refreshIncompleteSchemaOnOpen: true,
				},
			},
			displayOptions: { show: { inputMode: ['fields'] } },
		}),
		showOnceFormIsChosen({
			displayName: 'Answers (JSON)',
			name: 'answersJson',
			type: 'json',
			required: true,
			default: '{}',
			typeOptions: { rows: 6 },
			description:
				'An object whose keys are labels, custom keys or UUIDs of fields. A value is text, a number, a boolean, a date or a list of these.',
			hint: 'For example {"Your name": "Ada Lovelace"}',
			displayOptions: { show: { inputMode: ['json'] } },
		}),
		showOnceFormIsChosen(
			makeOptions([
				{
					displayName: ALLOW_MISSING,
					name: 'allowMissingAnswers',
					type: 'boolean',
					default: true,
					description:
						'Whether to add responses without answers to required fields, such as fields that the form shows only under a condition',
					// JSON may leave out any field
					displayOptions: { show: { '/inputMode': ['auto', 'fields'] } },
				},
				{
					displayName: ALLOW_OTHER,
					name: 'allowOtherChoices',
					type: 'boolean',
					// adding the option turns it on; without it, it is off
					default: true,
					description:
						'Whether to accept answers that are not among the choices of a field. Turn on for fields with a free-text choice.',
				},
				skipDuplicates,
			]),
		),
	],
	prepare(input) {
		const formId = readFormId(input);
		const given = readGivenAnswers(input);
		const skipNames = readSkipNames(input);
		const options = readCollection(input, 'options');
		const allowed = {
			missing: toSwitch(input, options.allowMissingAnswers ?? false, ALLOW_MISSING),
			other: toSwitch(input, options.allowOtherChoices ?? false, ALLOW_OTHER),
		};
		return {
			ids: { formId },
			body: { data: given.values as IDataObject },
			async check(request) {
				const fields = parseInputFields(await readFormFields(request, formId));
				const answers = readAnswers(input, given, fields, allowed);
				const identity = findIdentity(input, skipNames, fields);
				const { known, key } = await findDuplicates(request, input, formId, answers, identity);
				return {
					orderKey: key && `${formId} ${key}`,
					sendsNothing: known.has(key),
					async send({ context, target }) {
						const { data, byLabel, ignored } = answers;
						const status = known.has(key) ? 'skipped' : 'created';
						const uuid = await addOnce(
							known,
							key,
							async () => await addResponse(context, { ...target, body: { data } }),
						);
						const form = { id: formId, name: getChosenName(input.node, formId) ?? null };
						const unused = ignored.length > 0 ? { ignored } : {};
						const json = { status, uuid: uuid ?? null, form, answers: byLabel, ...unused };
						return { output: [{ json }], hasChanged: status === 'created' };
					},
				};
			},
		};
	},
};

/** Adds the first of equal responses. If it may have been added in spite of an error, no other is added. */
async function addOnce(
	known: Known,
	key: string | undefined,
	add: () => Promise<string | undefined>,
): Promise<string | undefined> {
	const added = known.get(key) ?? add();
	known.set(key, added);
	void added.catch((error: unknown) => {
		if (!mayHaveActed(error)) known.delete(key);
	});
	return await added;
}
