import type { IDataObject } from 'n8n-workflow';
import { identityOf, isRecord, saysYes } from '../../api/records';

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

/** A form by what identifies it and the fields that it asks for; its settings are left out. */
export function simplifyForm(form: IDataObject): IDataObject {
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
		uuid: identityOf(field),
		label,
		...(type !== undefined && { type }),
		required: saysYes(field.required) || saysYes(field.mandatory),
	};
}
