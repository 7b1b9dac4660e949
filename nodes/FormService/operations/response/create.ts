import type { IDataObject } from 'n8n-workflow';
import { parseInputFields } from '../../api/answers/fields';
import type { InputField } from '../../api/answers/fields';
import { endpoints } from '../../api/endpoints';
import { idOf } from '../../api/records';
import { addResponse } from '../../api/service';
import { chosenName } from '../../parameters/formId';
import { readFormId, readCollection, toSwitch } from '../../parameters/input';
import {
	formLocator,
	inputModeChoice,
	optionsOf,
	onceFormIsChosen,
} from '../../parameters/properties';
import { once } from '../itemRun';
import { fieldsOf } from '../operation';
import type { Operation } from '../operation';
import { ANSWERS_MODE, needFields, readAnswers, readGiven } from './answers';
import { existingLike, identityOf, readSkipNames, skipIfExists } from './skipExisting';

const AS_JSON =
	' The answers are an object. Its keys are the labels, custom keys or UUIDs of the fields, which "Get many fields" returns. A value is text, a number, true or false, an ISO date, or a list for several choices; for a file, the URL of a file that is already uploaded elsewhere.';

/** The fields that the resource mapper has stored, with their choices. */
const NAMED_FIELDS = `(list => list.length ? " The form's fields: " + list.join("; ") + ". A choice must be one of those in brackets." : "")(($parameter["fields"]?.schema ?? []).filter(field => !field.removed).map(field => String(field.label ?? field.displayName) + (field.options?.length ? " (" + field.options.slice(0, 50).map(option => option.name).join(", ") + ")" : "")))`;

/** How answers are given. n8n evaluates the expression for each agent. */
const ANSWERS = `{{ $parameter["inputMode"] === "json" ? ${JSON.stringify(AS_JSON)} : ${NAMED_FIELDS} }}`;

export const responseCreate: Operation = {
	option: {
		name: 'Create',
		value: 'create',
		action: 'Create response',
		description: 'Add a response to a form',
	},
	endpoint: endpoints.addResponse,
	toolDescription: `=Adds a response (submission) to a form.${ANSWERS} Sends no emails. A response cannot be changed or deleted afterward.`,
	properties: [
		{
			displayName:
				'For responses created here, the service sends no emails to administrators or respondents',
			name: 'noEmailNotice',
			type: 'notice',
			default: '',
		},
		formLocator,
		onceFormIsChosen(
			inputModeChoice(ANSWERS_MODE, [
				{
					name: 'Using Fields Below',
					value: 'fields',
					description: 'Enter the answer to each field of the form',
				},
				{
					name: 'Using JSON',
					value: 'json',
					description: 'Provide all answers as JSON, by label, custom key or UUID',
				},
			]),
		),
		onceFormIsChosen({
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
					supportAutoMap: true,
					// getFormFields explains an empty list
					hideNoDataError: true,
					// shows a field that was added to the form as soon as the node is opened again
					refreshIncompleteSchemaOnOpen: true,
				},
			},
			displayOptions: { show: { inputMode: ['fields'] } },
		}),
		onceFormIsChosen({
			displayName: 'Answers (JSON)',
			name: 'answersJson',
			type: 'json',
			required: true,
			default: '{}',
			typeOptions: { rows: 6 },
			description:
				'An object whose keys are labels, custom keys or UUIDs of fields. A value is text, a number, a boolean, a date or a list of these.',
			hint: 'For example {"Your name": "Ada Lovelace"}. Labels and custom keys cost one more request per form and run.',
			displayOptions: { show: { inputMode: ['json'] } },
		}),
		onceFormIsChosen(
			optionsOf([
				{
					displayName: 'Allow Other Choices',
					name: 'allowOtherChoices',
					type: 'boolean',
					// adding the option turns it on; without it, it is off
					default: true,
					description:
						'Whether to accept answers that are not among the choices of a field. Turn on for fields with a free-text choice.',
				},
				skipIfExists,
			]),
		),
	],
	prepare(input) {
		const formId = readFormId(input);
		const given = readGiven(input, formId);
		const skipNames = readSkipNames(input);
		const isOnce = skipNames.length > 0;
		const { allowOtherChoices = false } = readCollection(input, 'options');
		const allowOther = toSwitch(input, allowOtherChoices, 'Allow Other Choices');
		const read = (fields?: readonly InputField[]) => {
			const answers = readAnswers(input, given, fields, allowOther);
			return {
				answers,
				identity: isOnce ? identityOf(input, skipNames, fields ?? [], answers) : [],
			};
		};
		// only the fields of the form can say which field a label means
		const isLate =
			needFields(given, allowOther, input.zone) || (isOnce && given.fields === undefined);
		const early = isLate ? undefined : read(given.fields);
		return {
			ids: { formId },
			body: { data: early?.answers.data ?? (given.values as IDataObject) },
			async send(request) {
				const { context, run } = request;
				const { answers, identity } =
					early ?? read(parseInputFields(await fieldsOf(request, formId)));
				const target = { ...request.target, body: { data: answers.data } };
				const add = async () => ({ id: idOf(await addResponse(context, target)) });
				const like = isOnce
					? await existingLike(request, input, formId, answers, identity)
					: undefined;
				await run.allChecked();
				const isThere = like?.known.has(like.key);
				const { id } = like ? await once(like.known, like.key, add) : await add();
				const form = { id: formId, name: chosenName(input.node, formId) ?? null };
				const { byLabel, ignored } = answers;
				return [
					{
						json: {
							status: isThere ? 'skipped' : 'created',
							uuid: id ?? null,
							form,
							answers: byLabel,
							...(given.mode === 'automatic' && { ignored }),
						},
					},
				];
			},
		};
	},
};
