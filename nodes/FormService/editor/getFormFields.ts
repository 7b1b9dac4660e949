import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodePropertyOptions,
	ResourceMapperFields,
} from 'n8n-workflow';
import { getAccount } from '../api/account';
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

/** From the list of forms, which the editor has usually just loaded; else from the form itself. */
async function fieldsOf(context: RequestContext, formId: string): Promise<IDataObject[]> {
	const forms = await cachedForms(context);
	const listed: unknown = forms.find((form) => formIdOf(form) === formId)?.fields;
	const fields = Array.isArray(listed) ? listed.filter(isRecord) : [];
	return fields.length > 0 ? fields : await cachedFields(context, formId);
}
