import { pick } from 'lodash';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { parseBoolean } from '../../api/values';
import { getId, isRecord, removeSecrets } from '../../api/records';

/** Converts a form to its item, without secrets. */
export function convertForm(form: IDataObject, simplify: boolean): INodeExecutionData {
	const json = removeSecrets(form);
	return { json: simplify ? simplifyForm(json) : json };
}

/** The attributes of a form that simplified output keeps. Simplified output adds `fields` to these attributes. */
const SIMPLIFIED_FORM_ATTRIBUTES = [
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

/** Simplifies a form: keeps its fields and the attributes that identify the form, and leaves out its settings. */
function simplifyForm(form: IDataObject): IDataObject {
	const { fields } = form;
	return {
		...pick(form, SIMPLIFIED_FORM_ATTRIBUTES),
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
		required: [field.required, field.mandatory].some((flag) => parseBoolean(flag) === true),
	};
}
