import { castArray, compact, uniqBy } from 'lodash';
import type {
	ILoadOptionsFunctions,
	INodePropertyOptions,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';
import { ATTRIBUTE_PREFIX, FILTERABLE_ATTRIBUTES } from '../answers/conditions';
import { fieldKinds } from '../answers/fieldKinds';
import { parseFields, type FormField } from '../answers/fields';
import { endpoints } from '../api/endpoints';
import { getFormId, isId, isRecord } from '../api/records';
import { formatNames, makeUnique, normalizeText } from '../api/text';
import { isTool } from '../parameters/parameterContext';
import { getWatchKind } from '../parameters/triggerEvents';
import { escapeExpression, fetchKeptList, getSelectedFormId } from './listSearch';

/** Returns the fields of the chosen form for Response: Create. */
export async function getFormFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const fields = await fetchFields(this);
	if (fields === undefined) return { fields: [], emptyFieldsNotice: 'Choose a form first.' };
	if (fields.length > 0) return { fields: toMapperFields(fields, isTool(this.getNode())) };
	return { fields: [], emptyFieldsNotice: 'This form has no fields that take an answer.' };
}

/** Fetches the fields of the chosen form, if there is one, without those whose ID n8n would evaluate: `={{ 1 }}`. */
async function fetchFields(n8n: ILoadOptionsFunctions): Promise<FormField[] | undefined> {
	const formId = getSelectedFormId(n8n);
	if (formId === '') return undefined;
	const records = await fetchKeptList(n8n, endpoints.listFields, { formId });
	return parseFields(records).filter(({ uuid }) => isId(uuid));
}

/**
 * Converts the fields of a form to entries of the mapper. The ID of an entry is a UUID, so the user's value
 * remains after a field is renamed.
 *
 * @param forModel whether a model fills in the fields, for which n8n derives keys from the names
 */
export function toMapperFields(
	fields: readonly FormField[],
	forModel: boolean,
): ResourceMapperField[] {
	const names = fields.map((field) => escapeExpression(getMapperName(field)));
	const uniqueNames = forModel ? makeKeysUnique(names) : names;
	return fields.map((field, index) => ({
		id: field.uuid,
		displayName: uniqueNames[index],
		required: field.isRequired,
		defaultMatch: false,
		canBeUsedToMatch: false,
		display: true,
		...getWidget(field),
	}));
}

/** n8n asks a model for one value per key. "Имя" and "Дом" both have the key `___`, so the second becomes "2. Дом". */
function makeKeysUnique(displayNames: readonly string[]): string[] {
	const addCount = (name: string, count: number) => `${count}. ${name}`;
	return makeUnique(displayNames, [], { addCount, toKey: computeModelKey });
}

/** Returns the key that n8n's editor creates (`fromAIOverrideUtils`): `Phone (home)` → `Phone__home_`. */
export function computeModelKey(displayName: string): string {
	return displayName.slice(0, 63).replace(/[^a-zA-Z0-9-]/g, '_');
}

/** Returns the name of a field with what a user must know: `Comment (2) (required)`. */
function getMapperName({ title, kind, isRequired }: FormField): string {
	const { hint } = fieldKinds[kind];
	const hints = compact([isRequired && 'required', hint]).join(', ');
	return title + (hints && ` (${hints})`);
}

/** Returns the widget of a field. A user enters several choices with an expression. */
function getWidget(field: FormField): Pick<ResourceMapperField, 'type' | 'options'> {
	const { choices } = field;
	const { widget: type } = fieldKinds[field.kind];
	// n8n would evaluate a choice that starts with "=", so such a field takes text
	const isEvaluated = choices.some(({ value }) => String(value).startsWith('='));
	if (choices.length === 0 || isEvaluated) return { type };
	const options = choices.map(({ name, value }) => ({ name: escapeExpression(name), value }));
	return { type: 'options', options };
}

/** Returns the fields of the chosen form as options with their UUIDs. */
export async function getFieldOptions(
	this: ILoadOptionsFunctions,
): Promise<INodePropertyOptions[]> {
	const fields = (await fetchFields(this)) ?? [];
	return fields.map((field) => toFieldOption(field, field.uuid));
}

/** Returns the fields and attributes that a condition can compare. */
export async function getConditionFields(
	this: ILoadOptionsFunctions,
): Promise<INodePropertyOptions[]> {
	const [events, watch] = ['events', 'watch'].map((name) => this.getCurrentNodeParameter(name));
	const kind = getWatchKind(events, watch);
	const fields = await (kind === 'one' ? getFieldOptions.call(this) : listTitles(this, kind));
	const attributes = FILTERABLE_ATTRIBUTES.map(({ name, title }) => ({
		name: title,
		value: ATTRIBUTE_PREFIX + name,
		description: 'Attribute of the response',
	}));
	return [...fields, ...attributes];
}

/** Returns the fields of several forms by their titles, because each form has its own UUIDs. */
async function listTitles(n8n: ILoadOptionsFunctions, watch: 'several' | 'all') {
	const name = watch === 'all' ? 'exceptFormIds' : 'formIds';
	const named = castArray(n8n.getCurrentNodeParameter(name) as unknown);
	const forms = (await fetchKeptList(n8n, endpoints.listForms)).filter(
		(form) => named.includes(getFormId(form)) === (watch === 'several'),
	);
	const fields = forms.flatMap(({ fields: listed }) =>
		parseFields(Array.isArray(listed) ? listed.filter(isRecord) : []),
	);
	return uniqBy(fields, ({ title }) => normalizeText(title)).map((field) => toFieldOption(field));
}

/** Converts a field to an option that lists the choices, because the user enters a condition's value as text. */
function toFieldOption({ title, choices }: FormField, value = title): INodePropertyOptions {
	const names = formatNames(choices.map(({ name }) => name));
	const description = names === '' ? undefined : `Choices: ${names}`;
	return { name: escapeExpression(title), value: escapeExpression(value), description };
}
