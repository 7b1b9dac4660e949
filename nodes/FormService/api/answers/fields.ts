import { groupBy } from 'lodash';
import type { GenericValue, IDataObject } from 'n8n-workflow';
import { identityOf, isRecord, saysNo, saysYes } from '../records';
import { tellApart } from './labels';
import type { Answer } from './decode';
import { toEpochMs } from './order';
import { filesIn } from './uploads';

/** What a field takes; text where its kind is not certain. */
export type FieldKind =
	| 'boolean'
	| 'date'
	| 'file'
	| 'layout'
	| 'multipleChoice'
	| 'number'
	| 'singleChoice'
	| 'text';

/** Kinds of fields by the words that services use for them; the specification does not list them. */
const KINDS: ReadonlyArray<readonly [RegExp, FieldKind]> = [
	[/^(heading|headline|divider|spacer|html|page_?break|section_?break)$/, 'layout'],
	[/(^|[^a-z])file(?!name)|upload|attachment/, 'file'],
	[/^date([-_]?time(-local)?)?$/, 'date'],
	[/^(number|numeric|integer|int|decimal|float|rating|scale|slider|nps)$/, 'number'],
	[/^(bool|boolean|toggle|switch|yes_?no)$/, 'boolean'],
	[/^(multi_?select|multiple_choice|tags)$/, 'multipleChoice'],
	[/^(select|dropdown|drop_down|radio|radios|choice|single_choice)$/, 'singleChoice'],
];

export function fieldKindOf(field: IDataObject): FieldKind {
	const type = typeof field.type === 'string' ? field.type : '';
	const word = type.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
	const kind = KINDS.find(([pattern]) => pattern.test(word))?.[1] ?? 'text';
	const isChoice = kind === 'singleChoice' || kind === 'text';
	// one checkbox is a yes or no, several are choices
	const isSeveral = /^checkbox(es)?$/.test(word) && Array.isArray(field.options);
	return isSeveral || (isChoice && saysYes(field.multiple)) ? 'multipleChoice' : kind;
}

export function fieldLabelOf({ label, name }: IDataObject): string | undefined {
	return [label, name].find(
		(text): text is string => typeof text === 'string' && text.trim() !== '',
	);
}

/** By what the answers of a response are named. */
export type AnswerKeys = 'customKey' | 'label' | 'uuid';

/** A field of a form that takes an answer, and the name of its answer in an item. */
export type AnswerField = {
	name: string;
	label: string;
	uuid?: string;
	customKey?: string;
	kind: FieldKind;
	options: unknown[];
	/** Where it stands among all fields of its label, headings included, and how many these are. */
	place: { at: number; of: number };
};

/**
 * The fields of a form that take an answer, in its order, each with a name of its own.
 *
 * @param taken names that no field may have
 */
export function answerFieldsOf(
	records: readonly IDataObject[],
	keys: AnswerKeys,
	taken: readonly string[] = [],
): AnswerField[] {
	const labels = records.map((record) => fieldLabelOf(record) ?? identityOf(record) ?? '');
	const fields = records
		.map((record, index) => ({
			label: labels[index],
			uuid: identityOf(record),
			customKey: [record.custom_key, record.customKey].find(
				(key): key is string => typeof key === 'string' && key.trim() !== '',
			),
			kind: fieldKindOf(record),
			options: optionsOf(record),
			place: {
				at: labels.slice(0, index).filter((label) => label === labels[index]).length,
				of: labels.filter((label) => label === labels[index]).length,
			},
		}))
		.filter(({ kind }) => kind !== 'layout');
	const names = tellApart(
		fields.map((field) => field[keys] ?? field.label),
		taken,
	);
	return fields.map((field, index) => ({ ...field, name: names[index] }));
}

function optionsOf({ options }: IDataObject): unknown[] {
	if (!Array.isArray(options)) return [];
	return (options as unknown[]).map((option) =>
		isRecord(option) ? (option.value ?? option.label ?? option.name) : option,
	);
}

export type Matched = {
	/** The answer to each field that has one. */
	answers: Map<AnswerField, Answer>;
	/** Answers that belong to no field of the form as it is now. */
	others: Answer[];
	/** Labels that several fields have, whose answers were told apart by their order alone. */
	byPosition: string[];
};

/**
 * Finds out which answer belongs to which field: by UUID, by custom key, else by label. Of several
 * fields with one label, the first has the first answer, and so on; a heading counts where the
 * response has an entry for it too.
 */
export function matchAnswers(answers: readonly Answer[], fields: readonly AnswerField[]): Matched {
	const matched = new Map<AnswerField, Answer>();
	const free = (isIt: (field: AnswerField) => boolean) =>
		fields.find((field) => !matched.has(field) && isIt(field));
	const byLabel = groupBy(answers, ({ label }) => label);
	const others = answers.filter((answer) => {
		const { uuid, customKey, label } = answer;
		const ofLabel = byLabel[label];
		const at = ofLabel.indexOf(answer);
		const isInPlace = ({ place }: AnswerField) => ofLabel.length !== place.of || place.at === at;
		const field =
			(uuid === undefined ? undefined : free((one) => one.uuid === uuid)) ??
			(customKey === undefined ? undefined : free((one) => one.customKey === customKey)) ??
			free((one) => one.label === label && isInPlace(one));
		if (field !== undefined) matched.set(field, answer);
		return field === undefined;
	});
	const isCertain = answers.every(({ uuid }) => uuid !== undefined);
	return { answers: matched, others, byPosition: isCertain ? [] : repeatedLabels(fields) };
}

/** The labels that several of the fields have. */
export function repeatedLabels(fields: readonly AnswerField[]): string[] {
	const labels = fields.map(({ label }) => label);
	return [...new Set(labels.filter((label, index) => labels.indexOf(label) < index))];
}

/**
 * The value of an answer by the kind of its field: a number, a boolean, a date in ISO 8601, a list. A
 * value that cannot be told to be one stays as it came, and text always does; nothing is null.
 */
export function typedValue(value: GenericValue, { kind, options }: AnswerField): GenericValue {
	if (value === undefined || value === null || value === '') return null;
	if (Array.isArray(value) && value.length === 0) return null;
	switch (kind) {
		case 'number':
			return typeof value === 'string' ? (asNumber(value) ?? value) : value;
		case 'boolean':
			return asBoolean(value) ?? value;
		case 'date':
			return asDate(value) ?? value;
		case 'file':
			return Array.isArray(value) || filesIn(value).length === 0 ? value : filesIn(value);
		case 'multipleChoice':
			return Array.isArray(value) ? value : asChoices(value, options);
		default:
			return value;
	}
}

/** A number of so many digits that nothing of it is lost. */
function asNumber(text: string): number | undefined {
	const number = Number(text);
	const isNumber = /^\s*[+-]?\d+(\.\d+)?\s*$/.test(text) && text.replace(/\D/g, '').length <= 15;
	return isNumber ? number : undefined;
}

function asBoolean(value: GenericValue): boolean | undefined {
	if (saysYes(value) || (typeof value === 'string' && /^(yes|on)$/i.test(value))) return true;
	if (saysNo(value) || (typeof value === 'string' && /^(no|off)$/i.test(value))) return false;
	return undefined;
}

/** Seconds or milliseconds since 1970 as a date; a date in text is in ISO 8601 or of an unknown order. */
function asDate(value: GenericValue): string | undefined {
	const isEpoch = /^\d{9,13}$/.test(String(value));
	return isEpoch ? new Date(toEpochMs(value)).toISOString() : undefined;
}

/** One choice, or several with commas between them, if all of them are choices of the field. */
function asChoices(value: GenericValue, options: readonly unknown[]): GenericValue[] {
	if (typeof value !== 'string' || options.includes(value)) return [value];
	const parts = value.split(',').map((part) => part.trim());
	return parts.every((part) => options.includes(part)) ? parts : [value];
}
