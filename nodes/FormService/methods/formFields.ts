import { castArray, partition, uniqBy } from 'lodash';
import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodePropertyOptions,
	ResourceMapperFields,
} from 'n8n-workflow';
import { ATTRIBUTE, FILTER_ATTRIBUTES } from '../api/answers/conditions';
import { parseFields, parseInputFields } from '../api/answers/fields';
import type { FormField } from '../api/answers/fields';
import { toCaseless, toPlainText } from '../api/answers/names';
import { endpoints } from '../api/endpoints';
import { asSentence, shortenText } from '../api/errors';
import { getFormId, isRecord } from '../api/records';
import { findWatchKind } from '../parameters/watched';
import { getChosenForm, listCached } from './listSearch';
import { toMapperFields } from './resourceMapping';
import type { MapperField } from './resourceMapping';

/**
 * The fields of the chosen form, for the resource mapper of Response: Create. If they can't be loaded, the
 * mapper keeps the fields that it has, and a notice gives the reason: for a thrown error, the editor doesn't
 * show the message.
 */
export async function getFormFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const formId = getChosenForm(this);
	if (formId === '') return { fields: [], emptyFieldsNotice: 'Choose a form first.' };
	const before = getMappedFields(this, formId);
	try {
		const fields = toMapperFields(await loadFormFields(this, formId), formId, before);
		if (fields.length > 0) return { fields };
		return { fields, emptyFieldsNotice: 'This form has no fields that take an answer.' };
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		const emptyFieldsNotice = `The fields of the form could not be loaded. ${asSentence(reason)}`;
		return { fields: before, emptyFieldsNotice };
	}
}

/** The fields of this form that the mapper has loaded before. */
function getMappedFields(n8n: ILoadOptionsFunctions, formId: string): MapperField[] {
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
	const formId = getChosenForm(this);
	if (formId === '') return [];
	return parseInputFields(await loadFormFields(this, formId)).map((field) =>
		toFieldOption(field, field.uuid),
	);
}

/**
 * The subjects of a condition: the fields of the chosen form and the attributes by which people filter. If
 * several forms are watched, fields are named by their labels, since each form has its own UUIDs.
 */
export async function getConditionFields(
	this: ILoadOptionsFunctions,
): Promise<INodePropertyOptions[]> {
	const [events, watch] = ['events', 'watch'].map((name) => this.getCurrentNodeParameter(name));
	const kind = findWatchKind(events, watch);
	const fields = await (kind === 'one' ? getFieldOptions.call(this) : listLabels(this, kind));
	const taken = new Set(fields.map(({ name }) => toCaseless(name)));
	const attributes = Object.entries(FILTER_ATTRIBUTES).map(([name, { title }]) => ({
		...toOption(taken.has(toCaseless(title)) ? `${title} (Attribute)` : title, ATTRIBUTE + name),
		description: 'Attribute of the response',
	}));
	return [...fields, ...attributes];
}

async function listLabels(n8n: ILoadOptionsFunctions, watch: 'several' | 'all') {
	const name = watch === 'all' ? 'exceptFormIds' : 'formIds';
	const named = castArray(n8n.getCurrentNodeParameter(name) as unknown);
	const [included, others] = partition(await listCached(n8n, endpoints.listForms), (form) =>
		named.includes(getFormId(form)),
	);
	const fields = (watch === 'all' ? others : included).flatMap((form) =>
		parseFields(getListedFields(form)),
	);
	return uniqBy(fields, ({ title }) => toCaseless(title)).map((field) => toFieldOption(field));
}

/** A field with its choices: n8n could list them as the values of a condition, but its lists take no typed text. */
function toFieldOption({ title, choices }: Pick<FormField, 'choices' | 'title'>, value = title) {
	const names = choices.map(({ name }) => name).join(', ');
	return {
		...toOption(title, value),
		...(names && { description: `Choices: ${shortenText(names)}` }),
	};
}

function toOption(name: string, value = name): INodePropertyOptions {
	return { name: toPlainText(name), value: toPlainText(value) };
}

/** From the list of forms, which the editor has usually just loaded; else from the form itself. */
async function loadFormFields(n8n: ILoadOptionsFunctions, formId: string): Promise<IDataObject[]> {
	const forms = await listCached(n8n, endpoints.listForms);
	const listed = getListedFields(forms.find((form) => getFormId(form) === formId));
	return listed.length > 0 ? listed : await listCached(n8n, endpoints.listFields, { formId });
}

function getListedFields({ fields }: IDataObject = {}): IDataObject[] {
	return Array.isArray(fields) ? fields.filter(isRecord) : [];
}
