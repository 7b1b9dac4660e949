import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { inputFieldsOf } from '../../api/answers/fields';
import type { InputField } from '../../api/answers/fields';
import { endpoints } from '../../api/endpoints';
import { idOf, isRecord } from '../../api/records';
import { addResponse } from '../../api/service';
import type { Input } from '../../parameters/input';
import { readFormId, toSwitch } from '../../parameters/input';
import {
	formLocator,
	inputModeChoice,
	optionsOf,
	onceFormIsChosen,
} from '../../parameters/properties';
import { fieldsOf } from '../operation';
import type { ItemRequest, Operation, Prepared } from '../operation';
import { inPathOf, requestTo } from '../routing';
import { ANSWERS_MODE, needFields, readAnswers, readGiven } from './answers';
import type { Answers } from './answers';
import {
	addUnlessKnown,
	identityOf,
	keyOfItem,
	readResponses,
	readSkipNames,
	skipIfExists,
} from './skipExisting';
import type { Outcome } from './skipExisting';

const endpoint = endpoints.addResponse;

const ADDS = 'Adds a response (submission) to a form.';

const AS_JSON =
	'The answers are an object. Its keys are the labels, custom keys or UUIDs of the fields, which "Get many fields" returns. A value is text, a number, true or false, an ISO date, or a list for several choices; for a file, the URL of a file that is already uploaded elsewhere.';

const AFTERWARDS = 'Sends no emails. A response cannot be changed or deleted afterwards.';

/** The fields that the resource mapper has stored, with their choices. n8n evaluates it for each agent. */
const NAMED_FIELDS = `{{ (list => list.length ? " The form's fields: " + list.join("; ") + ". A choice must be one of those in brackets." : "")(($parameter["fields"]?.schema ?? []).filter(field => !field.removed).map(field => String(field.label ?? field.displayName) + (field.options?.length ? " (" + field.options.slice(0, 50).map(option => option.name).join(", ") + ")" : ""))) }}`;

const allowOtherChoices: INodeProperties = {
	displayName: 'Allow Other Choices',
	name: 'allowOtherChoices',
	type: 'boolean',
	// adding the option turns it on; without it, it is off
	default: true,
	description:
		"Whether to accept answers that are not among the choices of a field. Turn on for fields that also take an answer of the respondent's own.",
};

export const responseCreate: Operation = {
	option: {
		name: 'Create',
		value: 'create',
		action: 'Create response',
		description: 'Add a response to a form',
		routing: requestTo(endpoint, prepare),
	},
	toolDescription: [
		{ text: `=${ADDS}${NAMED_FIELDS} ${AFTERWARDS}`, show: { inputMode: ['fields'] } },
		{ text: `${ADDS} ${AS_JSON} ${AFTERWARDS}`, show: { inputMode: ['json'] } },
	],
	properties: [
		{
			displayName: "Responses created here don't send emails to administrators or the respondent",
			name: 'noEmailNotice',
			type: 'notice',
			default: '',
		},
		inPathOf(endpoint, formLocator),
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
		onceFormIsChosen(optionsOf([allowOtherChoices, skipIfExists])),
	],
};

function prepare(input: Input): Prepared {
	const formId = readFormId(input);
	const given = readGiven(input, formId);
	const skipNames = readSkipNames(input);
	const allowOther = readAllowOther(input);
	const read = (fields: readonly InputField[] | undefined): ReadItem => {
		const answers = readAnswers(input, given, fields, allowOther);
		const isOnce = skipNames.length > 0;
		return { answers, identity: isOnce ? identityOf(input, skipNames, fields ?? [], answers) : [] };
	};
	// only the fields of the form can say which field a label means
	const isLate =
		needFields(given, allowOther) || (skipNames.length > 0 && given.fields === undefined);
	const early = isLate ? undefined : read(given.fields);
	return {
		body: { data: early?.answers.data ?? (given.values as IDataObject) },
		async send(request) {
			const item = early ?? read(inputFieldsOf(await fieldsOf(request, formId)));
			const outcome = await request.run.oncePerItem(
				async () => await add(input, request, formId, item),
			);
			const { byLabel, ignored } = item.answers;
			return [
				{
					json: {
						status: outcome.status,
						uuid: outcome.id ?? null,
						form: { id: formId, name: formNameOf(input) },
						answers: byLabel,
						...(given.mode === 'automatic' && { ignored }),
					},
				},
			];
		},
	};
}

/** The answers of an item, and the fields by which its response is recognized. */
type ReadItem = { answers: Answers; identity: InputField[] };

async function add(
	input: Input,
	request: ItemRequest,
	formId: string,
	{ answers, identity }: ReadItem,
): Promise<Outcome> {
	const { context, run } = request;
	const target = { ...request.target, body: { data: answers.data } };
	const send = async () => idOf(await addResponse(context, target));
	if (identity.length === 0) {
		await run.allChecked();
		return { status: 'created', id: await send() };
	}
	const responses = await readResponses(request, input, formId, identity);
	const key = keyOfItem(input, identity, answers, responses);
	return await addUnlessKnown(request, formId, key, responses, send);
}

function readAllowOther(input: Input): boolean {
	const options = input.parameter<unknown>('options', {});
	const { allowOtherChoices = false } = isRecord(options) ? options : {};
	return toSwitch(input, allowOtherChoices, 'Allow Other Choices');
}

/** The name of a form that was chosen from the list, which n8n stores with the choice; null for others. */
function formNameOf({ node }: Input): string | null {
	const formId: unknown = node.parameters.formId;
	const { mode, cachedResultName } = isRecord(formId) ? formId : {};
	return mode === 'list' && typeof cachedResultName === 'string' ? cachedResultName.trim() : null;
}
