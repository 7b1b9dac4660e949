import { castArray, compact, countBy, uniqBy } from 'lodash';
import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodePropertyOptions,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';
import { ATTRIBUTE_PREFIX, FILTERABLE_ATTRIBUTES } from '../answers/conditions';
import { isAnswerable, parseFields, type FormField, type AnswerableField } from '../answers/fields';
import { fieldKinds, type FieldKindSpec } from '../answers/fieldKinds';
import { formatNames, foldCase, toComparable } from '../api/spelling';
import { endpoints } from '../api/endpoints';
import { addPeriod, truncateText } from '../api/errorTexts';
import { getFormId, isRecord } from '../api/records';
import { isTool } from '../execution/tool';
import { makeKeysUnique } from '../execution/toolKeys';
import { getWatchKind } from '../parameters/triggerEvents';
import { escapeExpression, getSelectedFormId, fetchCachedList } from './listSearch';

/**
 * Returns the fields of the chosen form for the resource mapper of Response: Create. If the fields cannot be
 * fetched, a notice shows the reason, because the editor does not show the message of a thrown error.
 */
export async function getFormFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const formId = getSelectedFormId(this);
	if (formId === '') return { fields: [], emptyFieldsNotice: 'Choose a form first.' };
	try {
		const records = await fetchCachedList(this, endpoints.listFields, { formId });
		const fields = toMapperFields(records, isTool(this.getNode()));
		if (fields.length > 0) return { fields };
		return { fields, emptyFieldsNotice: 'This form has no fields that take an answer.' };
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		const emptyFieldsNotice = `The fields of the form could not be loaded. ${addPeriod(reason)}`;
		return { fields: getStoredFields(this), emptyFieldsNotice };
	}
}

/**
 * Returns the fields that the resource mapper loaded earlier. Without any fields, the editor would drop all
 * mapped values.
 */
function getStoredFields(n8n: ILoadOptionsFunctions): ResourceMapperField[] {
	const mapper: unknown = n8n.getCurrentNodeParameter('fields');
	const schema = isRecord(mapper) && Array.isArray(mapper.schema) ? mapper.schema : [];
	return schema as unknown[] as ResourceMapperField[];
}

/**
 * Converts the fields of a form to entries of the resource mapper. Leaves out fields that take no answer, such
 * as headings. The ID of an entry is a UUID, so the user's value remains after a field is renamed.
 *
 * @param forModel whether a model fills in the fields; if so, n8n derives the keys of the answers from
 * `displayName`
 */
export function toMapperFields(
	records: readonly IDataObject[],
	forModel = false,
): ResourceMapperField[] {
	const fields = parseFields(records).filter(isAnswerable);
	const labelCounts = countBy(fields, ({ label }) => toComparable(label));
	const names = fields.map((field) =>
		getMapperName(field, labelCounts[toComparable(field.label)] > 1),
	);
	const uniqueNames = forModel ? makeKeysUnique(names) : names;
	return fields.map((field, index) => ({
		id: field.uuid,
		displayName: escapeExpression(uniqueNames[index]),
		required: field.isRequired,
		defaultMatch: false,
		canBeUsedToMatch: false,
		display: true,
		...getWidget(field),
	}));
}

/**
 * Returns the name of a field in the mapper, with the facts that a user needs to answer: `Comment (2): What was
 * bad? (required)`.
 */
function getMapperName(
	{ title, description, kind, isRequired }: AnswerableField,
	sharesLabel: boolean,
): string {
	const { hint }: FieldKindSpec = fieldKinds[kind];
	const hints = compact([isRequired && 'required', hint]).join(', ');
	const details =
		sharesLabel && description !== undefined ? `: ${truncateText(description, 60)}` : '';
	return hints === '' ? `${title}${details}` : `${title}${details} (${hints})`;
}

/**
 * Returns the input widget of a field. The widget of a field with choices is a list, in which the user can
 * select one choice. To send several choices, the user enters an expression.
 */
function getWidget({
	kind,
	choices,
}: AnswerableField): Pick<ResourceMapperField, 'type' | 'options'> {
	const { widget: type } = fieldKinds[kind];
	// n8n would evaluate a choice that starts with "="
	const isEvaluated = choices.some(({ value }) => String(value).startsWith('='));
	if (choices.length === 0 || isEvaluated) return { type };
	const options = choices.map(({ name, value }) => ({ name: escapeExpression(name), value }));
	return { type: 'options', options };
}

/** Returns the fields of the chosen form as options of a parameter. The value of an option is a UUID. */
export async function getFieldOptions(
	this: ILoadOptionsFunctions,
): Promise<INodePropertyOptions[]> {
	const formId = getSelectedFormId(this);
	if (formId === '') return [];
	const records = await fetchCachedList(this, endpoints.listFields, { formId });
	const fields = parseFields(records).filter(isAnswerable);
	return fields.map((field) => toFieldOption(field, field.uuid));
}

/**
 * Returns the fields and attributes that a condition can compare. If the trigger watches several forms, fields
 * are identified by title, because each form has its own UUIDs.
 */
export async function getConditionFields(
	this: ILoadOptionsFunctions,
): Promise<INodePropertyOptions[]> {
	const [events, watch] = ['events', 'watch'].map((name) => this.getCurrentNodeParameter(name));
	const kind = getWatchKind(events, watch);
	const fields = await (kind === 'one' ? getFieldOptions.call(this) : listLabels(this, kind));
	const attributes = Object.entries(FILTERABLE_ATTRIBUTES).map(([name, { title }]) => ({
		name: title,
		value: ATTRIBUTE_PREFIX + name,
		description: 'Attribute of the response',
	}));
	return [...fields, ...attributes];
}

async function listLabels(n8n: ILoadOptionsFunctions, watch: 'several' | 'all') {
	const name = watch === 'all' ? 'exceptFormIds' : 'formIds';
	const named = castArray(n8n.getCurrentNodeParameter(name) as unknown);
	const forms = (await fetchCachedList(n8n, endpoints.listForms)).filter(
		(form) => named.includes(getFormId(form)) === (watch === 'several'),
	);
	const fields = forms.flatMap(({ fields: listed }) =>
		parseFields(Array.isArray(listed) ? listed.filter(isRecord) : []),
	);
	return uniqBy(fields, ({ title }) => foldCase(title)).map((field) => toFieldOption(field));
}

/**
 * Converts a field to an option. The description of the option lists the choices of the field, because the user
 * enters the value of a condition as text.
 */
function toFieldOption({ title, choices }: FormField, value = title): INodePropertyOptions {
	const names = formatNames(choices.map(({ name }) => name));
	const description = names === '' ? undefined : `Choices: ${names}`;
	return { name: escapeExpression(title), value: escapeExpression(value), description };
}
