import { pick } from 'lodash';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { endpoints } from '../../api/endpoints';
import { readBoolean } from '../../api/readers';
import { getFormId, getId, isRecord, withoutSecrets } from '../../api/records';
import { getWorkspace, listRecords } from '../../api/service';
import type { Input } from '../../parameters/input';
import { createMissingFormError, readFormId, readLimit, readSwitch } from '../../parameters/input';
import {
	formLocator,
	includeSecretsSwitch,
	limitInput,
	returnAllSwitch,
	simplifySwitch,
} from '../../parameters/properties';
import { readOnce } from '../../execution/operation';
import type { Operation } from '../../execution/operation';

/** The operations that read the workspace, its forms and their fields. */

export const workspaceGet: Operation = {
	option: {
		name: 'Get',
		value: 'get',
		action: 'Get workspace',
		description: 'Retrieve the workspace with its defaults, owner and members',
	},
	endpoint: endpoints.getWorkspace,
	toolDescription:
		'Gets the workspace of the account: its name, owner, members, time zone and language.',
	properties: [simplifySwitch, includeSecretsSwitch],
	prepare(input) {
		const simplify = readSwitch(input, 'simplify', 'Simplify', true);
		const copy = simplify ? withoutSecrets : readCopier(input);
		return {
			async send(request) {
				const workspace = copy(await readOnce(request, getWorkspace));
				return [{ json: simplify ? pick(workspace, WORKSPACE_ATTRIBUTES) : workspace }];
			},
		};
	},
};

/** The attributes that simplified output keeps, at most ten. */
const WORKSPACE_ATTRIBUTES = [
	'name',
	'timezone',
	'locale',
	'replyto_email',
	'field_errormessage',
	'after_redirect_url',
	'onboarding_completed',
	'owner.name',
	'owner.email',
	'members',
	'created_at',
];

/** Reads Include Secrets, and gives what copies a record: items share nothing, even if their run reads a list once. */
function readCopier(input: Input): (record: IDataObject) => IDataObject {
	const includeSecrets = readSwitch(input, 'includeSecrets', 'Include Secrets', false);
	return includeSecrets ? structuredClone<IDataObject> : withoutSecrets;
}

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
				const form = forms.find((one) => getFormId(one) === formId);
				if (form !== undefined) return [toItem(form)];
				throw createMissingFormError(input, formId);
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
		const limit = readLimit(input);
		const toItem = readFormOutput(input);
		return {
			async send(request) {
				const forms = await readOnce(request, listRecords);
				return forms.slice(0, limit).map(toItem);
			},
		};
	},
};

/** Reads Simplify and Include Secrets, and gives what makes an item of a form. */
function readFormOutput(input: Input): (form: IDataObject) => INodeExecutionData {
	const simplify = readSwitch(input, 'simplify', 'Simplify', true);
	if (simplify) return (form) => ({ json: simplifyForm(withoutSecrets(form)) });
	const copy = readCopier(input);
	return (form) => ({ json: copy(form) });
}

/** The attributes of a form that simplified output keeps in addition to its fields, at most ten in all. */
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

/** A form without its settings: what identifies the form, and the fields that it asks for. */
function simplifyForm(form: IDataObject): IDataObject {
	const { fields } = form;
	return {
		...pick(form, FORM_ATTRIBUTES),
		...(Array.isArray(fields) && {
			fields: (fields as unknown[]).filter(isRecord).map(simplifyField),
		}),
	};
}

function simplifyField(field: IDataObject): IDataObject {
	const { label = field.name, type } = field;
	return {
		uuid: getId(field),
		label,
		...(type !== undefined && { type }),
		required: [field.required, field.mandatory].some((one) => readBoolean(one) === true),
	};
}

export const fieldGetAll: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many fields',
		description: 'Retrieve the fields of a form with their UUIDs',
	},
	endpoint: endpoints.listFields,
	toolDescription:
		'Lists the fields (questions) of a form with their UUIDs, labels, types and choices. Use it before adding a response, to learn the UUIDs and choices of the fields.',
	properties: [
		formLocator,
		returnAllSwitch,
		limitInput,
		{ ...includeSecretsSwitch, displayOptions: undefined },
	],
	prepare(input) {
		const formId = readFormId(input);
		const limit = readLimit(input);
		const copy = readCopier(input);
		return {
			ids: { formId },
			async send(request) {
				const fields = await readOnce(request, listRecords);
				return fields.slice(0, limit).map((field) => ({ json: copy(field) }));
			},
		};
	},
};
