import type { IDataObject, ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';
import { formIdOf, isRecord } from '../api/records';
import { rememberedFields, rememberedForms } from '../api/editorLists';
import type { Sender } from '../api/sender';
import { toMapperFields } from './mapperFields';

/** The fields of the chosen form, for the resource mapper of Response: Create. */
export async function getFormFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const given = this.getCurrentNodeParameter('formId', { extractValue: true });
	const formId = typeof given === 'string' || typeof given === 'number' ? String(given).trim() : '';
	if (formId === '') return { fields: [], emptyFieldsNotice: 'Choose a form first.' };
	const fields = await fieldsOf({ context: this, urgency: 'prompt' }, formId);
	return {
		fields: toMapperFields(fields),
		emptyFieldsNotice: 'This form has no fields that take an answer.',
	};
}

/** From the list of forms, which the editor has just had in most cases; else from the form itself. */
async function fieldsOf(sender: Sender, formId: string): Promise<IDataObject[]> {
	const forms = await rememberedForms(sender);
	const listed: unknown = forms.find((form) => formIdOf(form) === formId)?.fields;
	const fields = Array.isArray(listed) ? listed.filter(isRecord) : [];
	return fields.length > 0 ? fields : await rememberedFields(sender, formId);
}
