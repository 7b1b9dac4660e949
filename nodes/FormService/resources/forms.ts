import { pick } from 'lodash';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { fetchFields, type AnswerNaming, type FormField } from '../answers/fields';
import { createTarget, endpoints } from '../api/endpoints';
import { getFormId, getId, isRecord, removeSecrets } from '../api/records';
import { fetchRecords } from '../api/replies/fetchPages';
import { parseBoolean } from '../api/values';
import { fetchOnce, type ItemRequest, type Operation } from '../execution/operation';
import { createFormNotFoundError, formLocator, readFormId } from '../parameters/locators';
import type { ParameterContext } from '../parameters/parameterContext';
import {
	limitProperties,
	readLimit,
	readSimplify,
	simplificationProperties,
} from '../parameters/resultParameters';

export const formGetAll: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many forms',
		description: 'Retrieve a list of forms with their fields',
	},
	endpoint: endpoints.listForms,
	toolDescription:
		'Lists the forms of the workspace with their IDs, names and fields. Use it to find the ID of a form by its name.',
	properties: [...limitProperties, ...simplificationProperties],
	prepare(input) {
		const limit = readLimit(input);
		const simplify = readSimplify(input);
		return {
			async read(request) {
				const { records } = await fetchOnce(request, fetchRecords);
				return records.slice(0, limit).map((form) => createFormItem(form, simplify));
			},
		};
	},
};

/** The API has no endpoint for a single form, so the operation searches the list of all forms. */
export const formGet: Operation = {
	option: {
		name: 'Get',
		value: 'get',
		action: 'Get form',
		description: 'Retrieve a form with its fields',
	},
	endpoint: endpoints.listForms,
	toolDescription:
		'Gets one form by its ID: its name, whether it is closed, and its fields with their UUIDs.',
	properties: [formLocator, ...simplificationProperties],
	prepare(input) {
		const formId = readFormId(input);
		const simplify = readSimplify(input);
		return {
			async read(request) {
				return [createFormItem(await findForm(request, input, formId), simplify)];
			},
		};
	},
};

/** Finds a form in the list of all forms, which is fetched once per run. */
export async function findForm(
	request: ItemRequest,
	input: ParameterContext,
	formId: string,
): Promise<IDataObject> {
	const target = createTarget(request.context.account, endpoints.listForms);
	const { records } = await fetchOnce({ ...request, target }, fetchRecords);
	const form = records.find((listed) => getFormId(listed) === formId);
	if (form !== undefined) return form;
	throw createFormNotFoundError(input.node, formId, { itemIndex: input.itemIndex });
}

function createFormItem(form: IDataObject, simplify: boolean): INodeExecutionData {
	const json = removeSecrets(form);
	if (!simplify) return { json };
	const { fields } = json;
	const simplified = pick(json, FORM_ATTRIBUTES);
	if (!Array.isArray(fields)) return { json: simplified };
	return { json: { ...simplified, fields: fields.filter(isRecord).map(simplifyField) } };
}

/** With `fields`, ten attributes. n8n's guidelines allow at most ten. */
const FORM_ATTRIBUTES = [
	'id',
	'uuid',
	'name',
	'description',
	'slug',
	'url',
	'is_closed',
	'created_at',
	'updated_at',
];

function simplifyField(field: IDataObject): IDataObject {
	const { label = field.name, type } = field;
	return {
		uuid: getId(field),
		label,
		...(type !== undefined && { type }),
		required: [field.required, field.mandatory].some((flag) => parseBoolean(flag) === true),
	};
}

export const fieldGetAll: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many fields',
		description: 'Retrieve a list of the fields of a form with their UUIDs',
	},
	endpoint: endpoints.listFields,
	toolDescription:
		'Lists the fields of a form with their UUIDs, labels, types and choices. Use it before adding a response.',
	properties: [formLocator, ...limitProperties],
	prepare(input) {
		const formId = readFormId(input);
		const limit = readLimit(input);
		return {
			ids: { formId },
			async read(request) {
				const { records } = await fetchOnce(request, fetchRecords);
				return records.slice(0, limit).map((field) => ({ json: removeSecrets(field) }));
			},
		};
	},
};

/** Fetches the fields of a form once for all items of the run. */
export async function fetchSharedFields(
	request: ItemRequest,
	formId: string,
	{ answerKeys, columns }: AnswerNaming,
): Promise<FormField[]> {
	const naming = { answerKeys, columns };
	return await fetchOnce(
		request,
		async (context) => await fetchFields(context, formId, naming),
		`fields of ${formId} ${JSON.stringify(naming)}`,
	);
}
