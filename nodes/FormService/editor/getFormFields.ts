import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodePropertyOptions,
	ResourceMapperFields,
} from 'n8n-workflow';
import { getAccount } from '../api/account';
import { formIdOf, isRecord } from '../api/records';
import type { RequestContext } from '../api/requestContext';
import { cachedFields, cachedForms, chosenForm } from './editorLists';
import { toMapperFields } from './mapperFields';
import type { MapperField } from './mapperFields';

/**
 * The fields of the chosen form, for the resource mapper of Response: Create. Where they cannot be
 * loaded, it keeps those that it has, and says why: of an error that is thrown, the editor shows no
 * more than that there was one.
 */
export async function getFormFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const formId = chosenForm(this);
	if (formId === '') return { fields: [], emptyFieldsNotice: 'Choose a form first.' };
	try {
		const account = await getAccount(this);
		const loaded = await fieldsOf({ n8n: this, account, urgency: 'prompt' }, formId);
		const fields = toMapperFields(loaded, formId);
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
	return toMapperFields(loaded, formId).map(({ displayName, id }) => ({
		name: displayName,
		value: id,
	}));
}

/** The fields that the mapper has of this form from an earlier time. */
function fieldsBefore(n8n: ILoadOptionsFunctions, formId: string): MapperField[] {
	const mapper: unknown = n8n.getCurrentNodeParameter('fields');
	const schema = isRecord(mapper) && Array.isArray(mapper.schema) ? mapper.schema : [];
	return (schema as unknown[]).filter(
		(field): field is MapperField => isRecord(field) && field.formId === formId,
	);
}

/** From the list of forms, which the editor has just had in most cases; else from the form itself. */
async function fieldsOf(context: RequestContext, formId: string): Promise<IDataObject[]> {
	const forms = await cachedForms(context);
	const listed: unknown = forms.find((form) => formIdOf(form) === formId)?.fields;
	const fields = Array.isArray(listed) ? listed.filter(isRecord) : [];
	return fields.length > 0 ? fields : await cachedFields(context, formId);
}
