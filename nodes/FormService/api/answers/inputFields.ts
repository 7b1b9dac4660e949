import { keyBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { readBoolean } from '../readers';
import { comparableId, idOf, isId, isRecord } from '../records';
import { formFieldsOf } from './fields';
import type { FieldKind } from './fields';
import { comparable } from './labels';

/** A choice that a field offers. */
export type Choice = { name: string; value: string | number };

/** A field of a form as a new answer to it is read and checked. */
export type InputField = {
	/** Its UUID, or its ID where the service has no UUIDs: the key under which its answer is sent. */
	id: string;
	/** The label, numbered if other fields share it: "Comment (2)". */
	title: string;
	/** The label, as labels are compared, if several fields have it. */
	sharedLabel?: string;
	customKey?: string;
	kind: FieldKind;
	isRequired: boolean;
	/** Empty if the field takes any answer. */
	choices: Choice[];
};

/**
 * The fields of a form that can be answered through the API, in the form's order.
 *
 * @param records the fields as the service gave them
 */
export function inputFieldsOf(records: readonly IDataObject[]): InputField[] {
	const recordOf = keyBy(records, (record) => idOf(record) ?? '');
	const fields = formFieldsOf(records).filter(({ uuid }) => isId(uuid));
	const isShared = (wanted: string) =>
		fields.filter(({ match }) => match.label === wanted).length > 1;
	return fields.map(({ uuid = '', title, match, customKey, kind }) => {
		const record = recordOf[uuid];
		return {
			id: uuid,
			title,
			...(isShared(match.label) && { sharedLabel: match.label }),
			...(customKey !== undefined && { customKey }),
			kind,
			isRequired: [record.required, record.mandatory].some((one) => readBoolean(one) === true),
			choices: kind === 'singleChoice' || kind === 'multipleChoice' ? choicesOf(record) : [],
		};
	});
}

/** The choices of a field, or none if one of them can't be read, because then any answer may be one. */
function choicesOf({ options }: IDataObject): Choice[] {
	if (!Array.isArray(options)) return [];
	const choices = (options as unknown[]).map(toChoice);
	return choices.every((choice) => choice !== undefined) ? choices : [];
}

function toChoice(option: unknown): Choice | undefined {
	const [name, value] = isRecord(option)
		? [option.label ?? option.name ?? option.text, option.value ?? option.label ?? option.name]
		: [option, option];
	const isUsable = typeof value === 'number' || typeof value === 'string';
	return isUsable ? { name: String(name ?? value), value } : undefined;
}

/** What a name in the input stands for: a field, several fields that share the label, or neither. */
export type NamedField = { name: string; field?: InputField; sharedBy: InputField[] };

/**
 * The one reader of field names in the input: a name is the UUID, the custom key or the label of a field,
 * in this order, so that the custom key of one field is never taken for the label of another. Names are
 * compared without surrounding whitespace, in one Unicode form, and with the case of the letters, except
 * in UUIDs. A label that several fields have stands for the first of them only beside the numbered label
 * of another ("Comment" beside "Comment (2)").
 */
export function findFields(names: readonly string[], fields: readonly InputField[]): NamedField[] {
	const byId = firstBy(fields, ({ id }) => comparableId(id));
	const byKey = firstBy(fields, ({ customKey }) => customKey && comparable(customKey));
	const byTitle = firstBy(fields, ({ title }) => comparable(title));
	const find = (name: string) =>
		byId.get(comparableId(name.trim())) ??
		byKey.get(comparable(name)) ??
		byTitle.get(comparable(name));
	const numbered = new Set(
		names.map(find).flatMap((field) => (isNumbered(field) ? [field?.sharedLabel] : [])),
	);
	return names.map((name) => {
		const field = find(name);
		const label = isByLabel(name, field) && !isNumbered(field) ? field?.sharedLabel : undefined;
		return label === undefined || numbered.has(label)
			? { name, field, sharedBy: [] }
			: { name, sharedBy: fields.filter(({ sharedLabel }) => sharedLabel === label) };
	});
}

function firstBy(
	fields: readonly InputField[],
	keyOf: (field: InputField) => string | undefined,
): Map<string, InputField> {
	// of two entries with one key, a Map keeps the last
	const entries = fields.map((field) => [keyOf(field), field] as const).reverse();
	return new Map(entries.filter((one): one is [string, InputField] => one[0] !== undefined));
}

function isNumbered(field: InputField | undefined): boolean {
	return field?.sharedLabel !== undefined && comparable(field.title) !== field.sharedLabel;
}

function isByLabel(name: string, field: InputField | undefined): boolean {
	if (field === undefined || comparable(name) !== comparable(field.title)) return false;
	return field.customKey === undefined || comparable(field.customKey) !== comparable(name);
}
