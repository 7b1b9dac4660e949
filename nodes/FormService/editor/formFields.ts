import { uniq } from 'lodash';
import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodePropertyOptions,
	ResourceMapperFields,
} from 'n8n-workflow';
import { parseFields, parseInputFields } from '../api/answers/fields';
import { toPlainText, RESPONSE_ATTRIBUTES } from '../api/answers/names';
import { endpoints } from '../api/endpoints';
import { formIdOf, isRecord } from '../api/records';
import { cachedList, chosenForm } from './lists';
import { toMapperFields } from './mapperFields';
import type { MapperField } from './mapperFields';

/**
 * The fields of the chosen form, for the resource mapper of Response: Create. If they can't be loaded, the
 * mapper keeps the fields that it has, and a notice gives the reason: for a thrown error, the editor doesn't
 * show the message.
 */
export async function getFormFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const formId = chosenForm(this);
	if (formId === '') return { fields: [], emptyFieldsNotice: 'Choose a form first.' };
	const before = fieldsBefore(this, formId);
	try {
		const fields = toMapperFields(await fieldsOf(this, formId), formId, before);
		return fields.length > 0
			? { fields }
			: { fields, emptyFieldsNotice: 'This form has no fields that take an answer.' };
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		const emptyFieldsNotice = `The fields of the form could not be loaded: ${reason}`;
		return { fields: before, emptyFieldsNotice };
	}
}

/** The fields of this form that the mapper has loaded before. */
function fieldsBefore(n8n: ILoadOptionsFunctions, formId: string): MapperField[] {
	const mapper: unknown = n8n.getCurrentNodeParameter('fields');
	const schema = isRecord(mapper) && Array.isArray(mapper.schema) ? mapper.schema : [];
	return (schema as unknown[]).filter(
		(field): field is MapperField => isRecord(field) && field.formId === formId,
	);
}

/** The fields of the chosen form, for a list to choose from. */
export async function getFieldOptions(
	this: ILoadOptionsFunctions,
): Promise<INodePropertyOptions[]> {
	const formId = chosenForm(this);
	if (formId === '') return [];
	return parseInputFields(await fieldsOf(this, formId)).map(({ title, id }) => option(title, id));
}

/**
 * The subjects of a condition: the fields of the chosen form and the attributes of a response. If several
 * forms are watched, fields are named by their labels, since each form has its own UUIDs.
 */
export async function getConditionFields(
	this: ILoadOptionsFunctions,
): Promise<INodePropertyOptions[]> {
	const watch = this.getCurrentNodeParameter('watch') ?? 'one';
	const fields = await (watch === 'one' ? fieldsOfChosen(this) : labelsOfWatched(this, watch));
	const description = 'Attribute of the response';
	return [...fields, ...RESPONSE_ATTRIBUTES.map((name) => ({ ...option(name), description }))];
}

async function fieldsOfChosen(n8n: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const formId = chosenForm(n8n);
	if (formId === '') return [];
	const fields = parseFields(await fieldsOf(n8n, formId));
	return fields.map(({ title, uuid }) => option(title, uuid));
}

async function labelsOfWatched(n8n: ILoadOptionsFunctions, watch: unknown) {
	const given = n8n.getCurrentNodeParameter('formIds');
	const forms = await cachedList(n8n, endpoints.listForms);
	const watched = forms.filter(
		(form) => watch === 'all' || (Array.isArray(given) && given.includes(formIdOf(form))),
	);
	const titles = watched.flatMap((form) => parseFields(fieldsIn(form)).map(({ title }) => title));
	return uniq(titles).map((title) => option(title));
}

function option(name: string, value = name): INodePropertyOptions {
	return { name: toPlainText(name), value: toPlainText(value) };
}

/** From the list of forms, which the editor has usually just loaded; else from the form itself. */
async function fieldsOf(n8n: ILoadOptionsFunctions, formId: string): Promise<IDataObject[]> {
	const forms = await cachedList(n8n, endpoints.listForms);
	const listed = fieldsIn(forms.find((form) => formIdOf(form) === formId));
	return listed.length > 0 ? listed : await cachedList(n8n, endpoints.listFields, { formId });
}

function fieldsIn({ fields }: IDataObject = {}): IDataObject[] {
	return Array.isArray(fields) ? fields.filter(isRecord) : [];
}
