import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { readBoolean } from '../../api/readers';
import { idOf, isRecord, withoutSecrets } from '../../api/records';
import type { Input } from '../../parameters/input';
import { readIncludeSecrets, readSwitch } from '../../parameters/input';

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

/** What a person chose of how a form becomes an item. */
export type FormOutput = { simplify: boolean; includeSecrets: boolean };

/** Reads Simplify and Include Secrets. */
export function readFormOutput(input: Input): FormOutput {
	const simplify = readSwitch(input, 'simplify', 'Simplify', true);
	return { simplify, includeSecrets: !simplify && readIncludeSecrets(input) };
}

/** A form as an item of its own: the items of a run can share a listing, never a record. */
export function toFormItem(
	form: IDataObject,
	{ simplify, includeSecrets }: FormOutput,
): INodeExecutionData {
	const shown = includeSecrets ? structuredClone(form) : withoutSecrets(form);
	return { json: simplify ? simplifyForm(shown) : shown };
}

/** A form by what identifies it and the fields that it asks for; its settings are left out. */
function simplifyForm(form: IDataObject): IDataObject {
	const kept = KEPT_ATTRIBUTES.filter((name) => Object.hasOwn(form, name));
	return {
		...Object.fromEntries(kept.map((name) => [name, form[name]])),
		...(Array.isArray(form.fields) && {
			fields: (form.fields as unknown[]).filter(isRecord).map(simplifyField),
		}),
	};
}

function simplifyField(field: IDataObject): IDataObject {
	const { label = field.name, type } = field;
	return {
		uuid: idOf(field),
		label,
		...(type !== undefined && { type }),
		required: readBoolean(field.required) === true || readBoolean(field.mandatory) === true,
	};
}
