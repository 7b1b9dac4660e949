import { countBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { readBoolean } from '../readers';
import { comparableId, identitiesOf, idOf, isId, isRecord } from '../records';
import { comparable, RESERVED_COLUMNS, tellApart } from './names';

/** What a field takes; text if its type is unknown. */
export const FIELD_KINDS = [
	'boolean',
	'date',
	'file',
	'layout',
	'multipleChoice',
	'number',
	'singleChoice',
	'text',
] as const;
export type FieldKind = (typeof FIELD_KINDS)[number];

/** Kinds of fields by the names of their types, which the specification does not list (section 2.3). */
const KINDS: ReadonlyArray<readonly [RegExp, FieldKind]> = [
	[/^(heading|headline|divider|spacer|html|page_?break|section_?break)$/, 'layout'],
	[/(^|[^a-z])file(?!name)|upload|attachment/, 'file'],
	[/^date([-_]?time(-local)?)?$/, 'date'],
	[/^(number|numeric|integer|int|decimal|float|rating|scale|slider|nps)$/, 'number'],
	[/^(bool|boolean|toggle|switch|yes_?no)$/, 'boolean'],
	[/^(multi_?select|multiple_choice|tags)$/, 'multipleChoice'],
	[/^(select|dropdown|drop_down|radio|radios|choice|single_choice)$/, 'singleChoice'],
];

function fieldKindOf(field: IDataObject): FieldKind {
	const type = typeof field.type === 'string' ? field.type : '';
	const word = type.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
	const kind = KINDS.find(([pattern]) => pattern.test(word))?.[1] ?? 'text';
	const isChoice = kind === 'singleChoice' || kind === 'text';
	// a checkbox without options is a yes or no
	const isSeveral = /^checkbox(es)?$/.test(word) && Array.isArray(field.options);
	return isSeveral || (isChoice && readBoolean(field.multiple) === true) ? 'multipleChoice' : kind;
}

/** What names the answers of a response. */
export type AnswerKeys = 'customKey' | 'label' | 'uuid';

/** How the fields of a form are named in items. */
export type Naming = { answerKeys?: AnswerKeys; columns?: boolean };

/** A choice that a field offers. */
export type Choice = { name: string; value: string | number };

/** A field of a form that takes an answer. */
export type FormField = {
	/** The name of its answer in an item. */
	name: string;
	/** The label, numbered if other fields share the label: "Full name (2)". */
	title: string;
	label: string;
	/** Its UUID, else its ID, as the service writes it. */
	uuid?: string;
	/** Its UUID and ID as they are compared. */
	ids: string[];
	customKey?: string;
	/** The names of the field as they are compared. */
	match: { label: string; title: string; name: string; customKey?: string };
	description?: string;
	kind: FieldKind;
	isRequired: boolean;
	/** Empty if the field takes any answer. */
	choices: Choice[];
	/** Its position among all fields of its label, headings included, and the number of these fields. */
	place: { at: number; of: number };
};

/**
 * The fields of a form that take an answer, in its order, each with a unique name.
 *
 * @param records the fields as the service gave them
 */
export function formFieldsOf(
	records: readonly IDataObject[],
	{ answerKeys = 'label', columns = false }: Naming = {},
): FormField[] {
	const labels = records.map(
		(record) => firstText(record.label, record.name) ?? idOf(record) ?? '',
	);
	const placeOf = placesOf(labels.map(comparable));
	const fields = records
		.map((record, index) => {
			const kind = fieldKindOf(record);
			return {
				label: labels[index],
				uuid: idOf(record),
				ids: identitiesOf(record),
				customKey: firstText(record.custom_key, record.customKey),
				description: firstText(record.description),
				kind,
				isRequired: [record.required, record.mandatory].some((one) => readBoolean(one) === true),
				choices: kind === 'singleChoice' || kind === 'multipleChoice' ? choicesOf(record) : [],
				place: placeOf[index],
			};
		})
		.filter(({ kind }) => kind !== 'layout');
	const titles = tellApart(fields.map(({ label }) => label));
	const names = tellApart(
		fields.map((field) => field[answerKeys] ?? field.label),
		columns ? RESERVED_COLUMNS : [],
	);
	return fields.map((field, index) => {
		const { label, customKey } = field;
		const [name, title] = [names[index], titles[index]];
		const match = {
			label: comparable(label),
			title: comparable(title),
			name: comparable(name),
			customKey: customKey && comparableId(comparable(customKey)),
		};
		return { ...field, name, title, match };
	});
}

function firstText(...values: unknown[]): string | undefined {
	return values.find((one): one is string => typeof one === 'string' && one.trim() !== '');
}

function placesOf(labels: readonly string[]): Array<FormField['place']> {
	return labels.map((label, index) => ({
		at: labels.slice(0, index).filter((other) => other === label).length,
		of: labels.filter((other) => other === label).length,
	}));
}

/** The choices of a field, or none if one of them can't be read, because then any answer may be one. */
function choicesOf({ options }: IDataObject): Choice[] {
	const choices = Array.isArray(options) ? (options as unknown[]).map(toChoice) : [];
	return choices.every((choice) => choice !== undefined) ? choices : [];
}

function toChoice(option: unknown): Choice | undefined {
	const [name, value] = isRecord(option)
		? [option.label ?? option.name ?? option.text, option.value ?? option.label ?? option.name]
		: [option, option];
	const isUsable = typeof value === 'number' || typeof value === 'string';
	return isUsable ? { name: String(name ?? value), value } : undefined;
}

/** Choices by their names and values, as these are compared. */
export type Choices = ReadonlyMap<string, Choice>;

/** The choices by name and value: a text that is the value of one choice and the name of another means the value. */
export function choicesByName(choices: readonly Choice[]): Choices {
	return new Map([
		...choices.map((choice) => [comparable(choice.name), choice] as const),
		...choices.map((choice) => [comparable(String(choice.value)), choice] as const),
	]);
}

/** The choice that an answer stands for; undefined if the answer is none of the choices. */
export function findChoice(answer: unknown, choices: Choices): Choice | undefined {
	// services give a choice with its label and its value
	const parts = isRecord(answer) ? [answer.value, answer.label, answer.name] : [answer];
	return parts
		.filter((part) => ['string', 'number', 'boolean'].includes(typeof part))
		.map((part) => choices.get(comparable(String(part))))
		.find((choice) => choice !== undefined);
}

/**
 * Splits a text with commas between choices. A choice can have commas in its name: the longest choice that
 * fits is taken. Takes time linear in the length of the text, because a respondent may have chosen it.
 *
 * @returns the entries, trimmed, also those that are no choices
 */
export function splitChoices(text: string, choices: Choices): string[] {
	const longest = Math.max(1, ...[...choices.keys()].map((name) => name.split(',').length));
	const parts = text.split(',');
	const textOf = (start: number, end: number) => parts.slice(start, end).join(',').trim();
	const entries: string[] = [];
	for (let start = 0, end = 0; start < parts.length; start = end) {
		end = Math.min(start + longest, parts.length);
		while (end > start + 1 && !choices.has(comparable(textOf(start, end)))) end--;
		entries.push(textOf(start, end));
	}
	return entries.filter((entry) => entry !== '');
}

/** A field of a form as a new answer to it is read and checked. */
export type InputField = Pick<
	FormField,
	'choices' | 'customKey' | 'description' | 'isRequired' | 'kind' | 'title'
> & {
	/** Its UUID, or its ID if the service has no UUIDs: the key under which its answer is sent. */
	id: string;
	/** The label, as labels are compared, if several fields have it. */
	sharedLabel?: string;
};

/**
 * The fields of a form that can be answered through the API, in the form's order.
 *
 * @param records the fields as the service gave them
 */
export function inputFieldsOf(records: readonly IDataObject[]): InputField[] {
	const fields = formFieldsOf(records).filter(({ uuid }) => isId(uuid));
	const counts = countBy(fields, ({ match }) => match.label);
	return fields.map(({ uuid = '', match: { label }, ...field }) => ({
		...field,
		id: uuid,
		sharedLabel: counts[label] > 1 ? label : undefined,
	}));
}

/** The field that a name in the input stands for, or the several fields that share the name as their label. */
export type NamedField = { name: string; field?: InputField; sharedBy: InputField[] };

/**
 * The one reader of field names in the input: a name is the UUID, the custom key or the label of a field,
 * in this order, so that the custom key of one field is never taken for the label of another. Names are
 * compared without surrounding whitespace, in one Unicode form, and with the case of the letters, except
 * in UUIDs. If several fields have a label, the label stands for the first of them only if the numbered
 * label of another one is given too ("Comment" and "Comment (2)").
 */
export function findFields(names: readonly string[], fields: readonly InputField[]): NamedField[] {
	const byId = firstBy(fields, ({ id }) => comparableId(id));
	const byKey = firstBy(fields, ({ customKey }) => customKey && comparable(customKey));
	const byTitle = firstBy(fields, ({ title }) => comparable(title));
	const found = names.map((name) => {
		const exact = byId.get(comparableId(name.trim())) ?? byKey.get(comparable(name));
		return { name, field: exact ?? byTitle.get(comparable(name)), isExact: exact !== undefined };
	});
	const numbered = found.map(({ field }) => field).filter(isNumbered);
	const numberedLabels = new Set(numbered.map((field) => field?.sharedLabel));
	return found.map(({ name, field, isExact }) => {
		const label = isExact || isNumbered(field) ? undefined : field?.sharedLabel;
		return label === undefined || numberedLabels.has(label)
			? { name, field, sharedBy: [] }
			: { name, sharedBy: fields.filter(({ sharedLabel }) => sharedLabel === label) };
	});
}

function firstBy(
	fields: readonly InputField[],
	keyOf: (field: InputField) => string | undefined,
): Map<string | undefined, InputField> {
	// of two entries with one key, a Map keeps the last
	return new Map(fields.map((field) => [keyOf(field), field] as const).reverse());
}

/** Whether the title of a field is a shared label with a number. */
function isNumbered(field: InputField | undefined): boolean {
	return field?.sharedLabel !== undefined && comparable(field.title) !== field.sharedLabel;
}
