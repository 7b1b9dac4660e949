import { uniq } from 'lodash';
import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodePropertyOptions,
	ResourceMapperFields,
} from 'n8n-workflow';
import { getAccount } from '../api/account';
import { RESPONSE_ATTRIBUTES } from '../api/answers/attributes';
import { formFieldsOf } from '../api/answers/fields';
import { inputFieldsOf } from '../api/answers/inputFields';
import { asPlainText } from '../api/answers/labels';
import { formIdOf, isRecord } from '../api/records';
import type { RequestContext } from '../api/requestContext';
import { cachedFields, cachedForms, chosenForm } from './editorLists';
import { toMapperFields } from './mapperFields';
import type { MapperField } from './mapperFields';

/**
 * The fields of the chosen form, for the resource mapper of Response: Create. If they can't be loaded, the
 * mapper keeps the fields that it has, and a notice says why: for a thrown error, the editor doesn't show
 * the message.
 */
export async function getFormFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const formId = chosenForm(this);
	if (formId === '') return { fields: [], emptyFieldsNotice: 'Choose a form first.' };
	try {
		const account = await getAccount(this);
		const loaded = await fieldsOf({ n8n: this, account, urgency: 'prompt' }, formId);
		const fields = toMapperFields(loaded, formId, fieldsBefore(this, formId));
		return fields.length > 0
			? { fields }
			: { fields, emptyFieldsNotice: 'This form has no fields that take an answer.' };
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return {
			fields: fieldsBefore(this, formId),
			emptyFieldsNotice: `The fields of the form could not be loaded: ${reason}`,
		};
	}
}

/** The fields of the chosen form, for a list to choose from. */
export async function getFieldOptions(
	this: ILoadOptionsFunctions,
): Promise<INodePropertyOptions[]> {
	const formId = chosenForm(this);
	if (formId === '') return [];
	const account = await getAccount(this);
	const loaded = await fieldsOf({ n8n: this, account, urgency: 'prompt' }, formId);
	return inputFieldsOf(loaded).map(({ title, id }) => ({ name: asPlainText(title), value: id }));
}

/** The fields of this form that the mapper has loaded before. */
function fieldsBefore(n8n: ILoadOptionsFunctions, formId: string): MapperField[] {
	const mapper: unknown = n8n.getCurrentNodeParameter('fields');
	const schema = isRecord(mapper) && Array.isArray(mapper.schema) ? mapper.schema : [];
	return (schema as unknown[]).filter(
		(field): field is MapperField => isRecord(field) && field.formId === formId,
	);
}

/**
 * What a condition can be about: the fields of the chosen form and the attributes of a response. If several
 * forms are watched, their labels, since each form has UUIDs of its own.
 */
export async function getConditionFields(
	this: ILoadOptionsFunctions,
): Promise<INodePropertyOptions[]> {
	const attributes = RESPONSE_ATTRIBUTES.map((name) => ({
		name,
		value: name,
		description: 'Attribute of the response',
	}));
	return [...(await conditionFields(this)), ...attributes];
}

async function conditionFields(n8n: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const watch = n8n.getCurrentNodeParameter('watch') ?? 'one';
	const formId = chosenForm(n8n);
	if (watch === 'one' && formId === '') return [];
	const context: RequestContext = { n8n, account: await getAccount(n8n), urgency: 'prompt' };
	if (watch === 'one') {
		return formFieldsOf(await fieldsOf(context, formId)).map(({ title, uuid = title }) => ({
			name: asPlainText(title),
			value: asPlainText(uuid),
		}));
	}
	const given = n8n.getCurrentNodeParameter('formIds');
	const isWatched = (form: IDataObject) =>
		watch === 'all' || (Array.isArray(given) && given.includes(formIdOf(form)));
	const titles = (await cachedForms(context)).filter(isWatched).flatMap(titlesIn);
	return uniq(titles).map((title) => ({ name: asPlainText(title), value: asPlainText(title) }));
}

function titlesIn({ fields }: IDataObject): string[] {
	const records = Array.isArray(fields) ? fields.filter(isRecord) : [];
	return formFieldsOf(records).map(({ title }) => title);
}

/** From the list of forms, which the editor has usually just loaded; else from the form itself. */
async function fieldsOf(context: RequestContext, formId: string): Promise<IDataObject[]> {
	const forms = await cachedForms(context);
	const listed: unknown = forms.find((form) => formIdOf(form) === formId)?.fields;
	const fields = Array.isArray(listed) ? listed.filter(isRecord) : [];
	return fields.length > 0 ? fields : await cachedFields(context, formId);
}
