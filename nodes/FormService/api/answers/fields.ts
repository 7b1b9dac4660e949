import { uniq } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { readBoolean } from '../readers';
import { identitiesOf, idOf, isRecord } from '../records';
import { RESERVED_COLUMNS } from './attributes';
import { comparable, tellApart } from './labels';

/** What a field takes; text if its type is unknown. */
export type FieldKind =
	| 'boolean'
	| 'date'
	| 'file'
	| 'layout'
	| 'multipleChoice'
	| 'number'
	| 'singleChoice'
	| 'text';

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

function fieldLabelOf({ label, name }: IDataObject): string | undefined {
	return [label, name].find(
		(text): text is string => typeof text === 'string' && text.trim() !== '',
	);
}

/** What names the answers of a response. */
export type AnswerKeys = 'customKey' | 'label' | 'uuid';

/** How the fields of a form are named in items. */
export type Naming = { answerKeys?: AnswerKeys; columns?: boolean };

/** A field of a form that takes an answer. */
export type FormField = {
	/** The name of its answer in an item. */
	name: string;
	/** The label, numbered if other fields share it: "Full name (2)". */
	title: string;
	label: string;
	/** Its UUID, else its ID, as the service writes it. */
	uuid?: string;
	/** Its UUID and ID as they are compared. */
	ids: string[];
	customKey?: string;
	/** What names the field, as it is compared. */
	match: { label: string; title: string; name: string; customKey?: string };
	kind: FieldKind;
	options: unknown[];
	/** Where it stands among all fields of its label, headings included, and how many these are. */
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
	const labels = records.map((record) => fieldLabelOf(record) ?? idOf(record) ?? '');
	const compared = labels.map(comparable);
	const placeOf = placesOf(compared);
	const fields = records
		.map((record, index) => {
			const customKey = [record.custom_key, record.customKey].find(
				(key): key is string => typeof key === 'string' && key.trim() !== '',
			);
			return {
				label: labels[index],
				uuid: idOf(record),
				ids: identitiesOf(record),
				customKey,
				comparedKey: customKey === undefined ? undefined : comparable(customKey),
				kind: fieldKindOf(record),
				options: optionsOf(record),
				place: placeOf[index],
			};
		})
		.filter(({ kind }) => kind !== 'layout');
	const titles = tellApart(fields.map(({ label }) => label));
	const names = tellApart(
		fields.map((field) => field[answerKeys] ?? field.label),
		columns ? RESERVED_COLUMNS : [],
	);
	return fields.map(({ comparedKey, ...field }, index) => {
		const [name, title] = [names[index], titles[index]];
		const match = {
			label: comparable(field.label),
			title: comparable(title),
			name: comparable(name),
			customKey: comparedKey,
		};
		return { ...field, name, title, match };
	});
}

function placesOf(labels: readonly string[]): Array<FormField['place']> {
	return labels.map((label, index) => ({
		at: labels.slice(0, index).filter((other) => other === label).length,
		of: labels.filter((other) => other === label).length,
	}));
}

function optionsOf({ options }: IDataObject): unknown[] {
	if (!Array.isArray(options)) return [];
	const given = (options as unknown[]).flatMap((option) =>
		isRecord(option) ? [option.value, option.label, option.name] : [option],
	);
	return given.filter((option) => option !== undefined && option !== null);
}

/** The labels that several of the fields have. */
export function repeatedLabels(fields: readonly FormField[]): string[] {
	const labels = fields.map(({ label }) => label);
	return uniq(labels.filter((label, index) => labels.indexOf(label) < index));
}
