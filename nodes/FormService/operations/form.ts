import { pick } from 'lodash';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { endpoints } from '../api/endpoints';
import { readBoolean } from '../api/readers';
import { formIdOf, idOf, isRecord, withoutSecrets } from '../api/records';
import { listRecords } from '../api/service';
import { describeMissingForm } from '../parameters/formId';
import type { Input } from '../parameters/input';
import { invalid, readFormId, readIncludeSecrets, readPage, readSwitch } from '../parameters/input';
import {
	formLocator,
	includeSecretsSwitch,
	limitInput,
	returnAllSwitch,
	simplifySwitch,
} from '../parameters/properties';
import { makeListing, readOnce } from './operation';
import type { Operation } from './operation';

/** The API has no endpoint for one form, so the form is taken from the list of all forms. */
export const formGet: Operation = {
	option: {
		name: 'Get',
		value: 'get',
		action: 'Get form',
		description: 'Retrieve a form with its fields',
	},
	endpoint: endpoints.listForms,
	toolDescription:
		'Gets one form by its ID: its name, whether it is closed, and its fields with their UUIDs. Use it to find out what a form asks for.',
	properties: [formLocator, simplifySwitch, includeSecretsSwitch],
	prepare(input) {
		const formId = readFormId(input);
		const toItem = readFormOutput(input);
		return {
			async send(request) {
				const forms = await readOnce(request, listRecords);
				const form = forms.find((one) => formIdOf(one) === formId);
				if (form !== undefined) return [toItem(form)];
				const { message, description } = describeMissingForm(input.node, formId, forms);
				throw invalid(input, message, description);
			},
		};
	},
};

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
	properties: [returnAllSwitch, limitInput, simplifySwitch, includeSecretsSwitch],
	prepare(input) {
		const page = readPage(input);
		const toItem = readFormOutput(input);
		return {
			async send(request) {
				return await makeListing(await readOnce(request, listRecords), page, toItem);
			},
		};
	},
};

/**
 * Reads Simplify and Include Secrets.
 *
 * @returns what makes an item of a form; items share no record, even if their run shares the listing
 */
function readFormOutput(input: Input): (form: IDataObject) => INodeExecutionData {
	const simplify = readSwitch(input, 'simplify', 'Simplify', true);
	if (simplify) return (form) => ({ json: simplifyForm(withoutSecrets(form)) });
	const toJson = readIncludeSecrets(input) ? structuredClone<IDataObject> : withoutSecrets;
	return (form) => ({ json: toJson(form) });
}

/** The attributes of a form that simplified output keeps beside its fields, at most ten in all. */
const KEPT_ATTRIBUTES = [
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

/** A form without its settings: what identifies the form, and the fields that it asks for. */
function simplifyForm(form: IDataObject): IDataObject {
	const { fields } = form;
	return {
		...pick(form, KEPT_ATTRIBUTES),
		...(Array.isArray(fields) && {
			fields: (fields as unknown[]).filter(isRecord).map(simplifyField),
		}),
	};
}

function simplifyField(field: IDataObject): IDataObject {
	const { label = field.name, type } = field;
	return {
		uuid: idOf(field),
		label,
		...(type !== undefined && { type }),
		required: [field.required, field.mandatory].some((one) => readBoolean(one) === true),
	};
}
