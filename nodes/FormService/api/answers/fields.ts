import { groupBy, memoize } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { shortenText } from '../errors';
import { readBoolean } from '../readers';
import { normalizeId, getIdentities, getId, isId } from '../records';
import { parseChoices } from './choices';
import type { Choice } from './choices';
import { readLabelText } from './decode';
import { findKind } from './kinds';
import type { FieldKind } from './kinds';
import { makeUnique, RESERVED_COLUMNS, toCaseless, toComparable } from './names';

/** How the fields of a form are named in items. */
export type Naming = { answerKeys?: 'customKey' | 'label' | 'uuid'; columns?: boolean };

/** A field of a form that takes an answer. */
export type FormField = {
	/** Its place in the list of fields. */
	position: number;
	/** The name of its answer in an item. */
	name: string;
	/** The label as it is shown, numbered if other fields share the label: "Full name (2)". */
	title: string;
	/** The label as it is shown: for a field without a label, its name or ID. */
	label: string;
	/** The label as the service sends it, also with answers; not known if only the ID is. */
	sentLabel?: string;
	/** Its UUID, else its ID, as the service writes it. */
	uuid?: string;
	/** Its UUID and ID as they are compared. */
	ids: string[];
	/** A name that the form's author gave to the field for programs. */
	customKey?: string;
	description?: string;
	kind: FieldKind;
	isRequired: boolean;
	/** Empty if the field takes any answer. */
	choices: Choice[];
};

/** The fields of a form that take an answer, in its order, each with a unique name. */
export function parseFields(
	records: readonly IDataObject[],
	{ answerKeys = 'label', columns = false }: Naming = {},
): FormField[] {
	const fields = records.map((record) => {
		const { label, name, options, required, mandatory } = record;
		const kind = findKind(record);
		const sentLabel = readLabelText(label) ?? readLabelText(name) ?? '';
		return {
			label: readLabel(sentLabel) ?? readLabel(name) ?? getId(record) ?? '',
			sentLabel,
			uuid: getId(record),
			ids: getIdentities(record),
			customKey: readLabel(record.custom_key),
			description: readLabel(record.description),
			kind,
			isRequired: [required, mandatory].some((one) => readBoolean(one) === true),
			choices: ['singleChoice', 'multipleChoice'].includes(kind) ? parseChoices(options) : [],
		};
	});
	const answerable = fields.filter(({ kind }) => kind !== 'layout');
	const titles = makeUnique(answerable.map(({ label }) => label));
	const names = makeUnique(
		answerable.map((field) => field[answerKeys] ?? field.label),
		columns ? RESERVED_COLUMNS : [],
	);
	return answerable.map((field, position) => {
		return { ...field, position, name: names[position], title: titles[position] };
	});
}

function readLabel(value: unknown): string | undefined {
	return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** A field that can be answered through the API: its UUID, or its ID if the service has no UUIDs, is the key of its answer. */
export type InputField = FormField & { uuid: string };

/** The fields of a form that can be answered through the API, in the form's order. */
export function parseInputFields(records: readonly IDataObject[]): InputField[] {
	return parseFields(records).filter((field): field is InputField => isId(field.uuid));
}

/** What a field is found by. */
type Names = FormField;

/** The fields by each of their names, made once for each list of fields: nobody changes one in place. */
export const indexFields = memoize(<Field extends Names>(fields: readonly Field[]) => {
	type GetName = (field: Field) => string | readonly string[] | undefined;
	const index = (getName: GetName, toKey: (name: string) => string) => {
		const pairs = fields.flatMap((field) =>
			[getName(field) ?? []].flat().map((name) => ({ key: toKey(name), field })),
		);
		const groups = Object.entries(groupBy(pairs, 'key'));
		return new Map(groups.map(([key, same]) => [key, same.map(({ field }) => field)]));
	};
	const indexTexts = (toKey: (name: string) => string) => ({
		byKey: index(({ customKey }) => customKey, toKey),
		byTitle: index(({ title }) => title, toKey),
		/** By the label that is sent, under which the service lists answers too. */
		byLabel: index(({ sentLabel }) => sentLabel, toKey),
	});
	const byId = index(({ ids }) => ids, normalizeId);
	return { byId, ...indexTexts(toComparable), caseless: indexTexts(toCaseless) };
});
indexFields.cache = new WeakMap();

/**
 * The one reader of a field's name: the fields that have it as their UUID or ID, else as their custom key,
 * else as their label with its number ("Full name (2)"), else as the label that is sent, else in other
 * capitals as one of these. Several fields only if they share the name.
 */
function findCandidates<Field extends Names>(name: string, fields: readonly Field[]): Field[] {
	const { byId, caseless, ...exact } = indexFields(fields);
	const look = ({ byKey, byTitle, byLabel }: typeof caseless, text: string) =>
		byKey.get(text) ?? byTitle.get(text) ?? byLabel.get(text);
	const text = toComparable(name);
	return byId.get(normalizeId(text)) ?? look(exact, text) ?? look(caseless, toCaseless(name)) ?? [];
}

/**
 * The field that a name stands for: its UUID, its custom key, or its label, which has a number if other fields
 * share it ("Full name (2)"). The label alone means the first of them.
 */
export function findField<F extends FormField>(name: string, fields: readonly F[]): F | undefined {
	return findCandidates(name, fields).at(0);
}

/** The fields with the same label, in the form's order. */
export function findNamesakes<F extends Names>({ sentLabel = '' }: F, fields: readonly F[]): F[] {
	return indexFields(fields).byLabel.get(toComparable(sentLabel)) ?? [];
}

/** The field that a name stands for, or the several fields that the name stands for. */
export type NamedField<Field> = { name: string; field?: Field; sharedBy: Field[] };

/**
 * The fields that names in the input or in conditions stand for. If several fields have a label, the label
 * stands for the first of them only if the numbered label of another one is given too ("Comment" and
 * "Comment (2)").
 */
export function findFields<Field extends Names>(
	names: readonly string[],
	fields: readonly Field[],
): Array<NamedField<Field>> {
	const found = names.map((name) => ({ name, candidates: findCandidates(name, fields) }));
	const named = new Set(found.flatMap(({ candidates }) => candidates));
	return found.map(({ name, candidates }) => {
		const [field, ...others] = candidates;
		if (others.length > 0) return { name, sharedBy: candidates };
		const [first, ...later] = field === undefined ? [] : findNamesakes(field, fields);
		const isAmbiguous =
			later.length > 0 &&
			field === first &&
			toCaseless(name) === toCaseless(field.title) &&
			!later.some((one) => named.has(one));
		return isAmbiguous ? { name, sharedBy: [first, ...later] } : { name, field, sharedBy: [] };
	});
}

/** What to do about a name that several fields have. */
export function explainSharedLabel({ name, sharedBy }: NamedField<Names>): string {
	const [{ uuid }, ...later] = sharedBy;
	const numbered = later.map(({ title }) => `"${shortenText(title)}"`).join(', ');
	return `"${name}" is the name of ${sharedBy.length} fields. Use the UUID ${String(uuid)} for the first one, or ${numbered} for a later one.`;
}
