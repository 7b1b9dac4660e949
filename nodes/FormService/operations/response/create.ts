import type { IDataObject } from 'n8n-workflow';
import { parseInputFields } from '../../api/answers/fields';
import type { InputField } from '../../api/answers/fields';
import { endpoints } from '../../api/endpoints';
import { mayHaveActed } from '../../api/errors';
import { getId } from '../../api/records';
import { addResponse } from '../../api/service';
import { getChosenName } from '../../parameters/formId';
import { readFormId, readCollection, toSwitch } from '../../parameters/input';
import {
	formLocator,
	makeInputModeChoice,
	makeOptions,
	showOnceFormIsChosen,
} from '../../parameters/properties';
import { readFormFields } from '../operation';
import type { Operation } from '../operation';
import { ANSWERS_MODE, needsFields, readAnswers, readGivenAnswers } from './answers';
import { findDuplicates, findIdentity, readSkipNames, skipDuplicates } from './duplicates';
import type { Known } from './duplicates';

const ALLOW_OTHER = 'Allow "Other" Answers';

const AS_JSON =
	'The answers are an object by labels, custom keys or UUIDs of fields, which "Get many fields" returns. A value is text, a number, true or false, an ISO date, a list for several choices, or the URL of a file that is already uploaded.';

/** The choices of the fields that the resource mapper has stored. */
const CHOICES =
	'($parameter.fields?.schema ?? []).filter(field => !field.removed && field.options?.length).map(field => `Choices of "${field.label ?? field.displayName}": ${field.options.slice(0, 50).map(option => option.name).join(", ")}.`).join(" ")';

export const responseCreate: Operation = {
	option: {
		name: 'Create',
		value: 'create',
		action: 'Create response',
		description: 'Add a response to a form',
	},
	endpoint: endpoints.addResponse,
	// n8n evaluates the expression for each agent
	toolDescription: `=Adds a response (submission) to a form, which cannot be changed or deleted afterward. Sends no emails. {{ $parameter.inputMode === "json" ? ${JSON.stringify(AS_JSON)} : ${CHOICES} }}`,
	properties: [
		{
			displayName: "Form Service doesn't email anyone about responses added here.",
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
			hint: 'For example {"Your name": "Ada Lovelace"}. Labels and custom keys use one more request per form and run.',
			displayOptions: { show: { inputMode: ['json'] } },
		}),
		showOnceFormIsChosen(
			makeOptions([
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
		const given = readGivenAnswers(input, formId);
		const skipNames = readSkipNames(input);
		const { allowOtherChoices = false } = readCollection(input, 'options');
		const allowOther = toSwitch(input, allowOtherChoices, ALLOW_OTHER);
		const read = (fields: readonly InputField[] | undefined) => {
			const answers = readAnswers(input, given, fields, allowOther);
			return { answers, identity: findIdentity(input, skipNames, fields ?? [], answers) };
		};
		// only the fields of the form can say which field a label means
		const needsForm =
			needsFields(input, given, allowOther) || (skipNames.length > 0 && !given.fields);
		const early = needsForm ? undefined : read(given.fields);
		return {
			ids: { formId },
			body: { data: early?.answers.data ?? (given.values as IDataObject) },
			async check(request) {
				const { answers, identity } =
					early ?? read(parseInputFields(await readFormFields(request, formId)));
				const { known, key } = await findDuplicates(request, input, formId, answers, identity);
				return {
					orderKey: key && `${formId} ${key}`,
					async send({ context, target }) {
						const { data, byLabel, ignored } = answers;
						const status = known.has(key) ? 'skipped' : 'created';
						const uuid = await addOnce(known, key, async () =>
							getId(await addResponse(context, { ...target, body: { data } })),
						);
						const form = { id: formId, name: getChosenName(input.node, formId) ?? null };
						const unused = ignored.length > 0 ? { ignored } : {};
						return [{ json: { status, uuid: uuid ?? null, form, answers: byLabel, ...unused } }];
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
