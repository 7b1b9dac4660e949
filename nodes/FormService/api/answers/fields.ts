import { countBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { readBoolean } from '../readers';
import { normalizeId, getIdentities, getId, isId } from '../records';
import { parseChoices } from './choices';
import type { Choice } from './choices';
import { findKind } from './kinds';
import type { FieldKind } from './kinds';
import { makeUnique, RESERVED_COLUMNS, toCaseless, toComparable } from './names';

/** How the fields of a form are named in items. */
export type Naming = { answerKeys?: 'customKey' | 'label' | 'uuid'; columns?: boolean };

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
		return {
			label: readLabel(label) ?? readLabel(name) ?? getId(record) ?? '',
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
	return answerable.map((field, at) => ({ ...field, name: names[at], title: titles[at] }));
}

function readLabel(value: unknown): string | undefined {
	return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** A field of a form as a new answer to it is read and checked. */
export type InputField = Omit<FormField, 'ids' | 'label' | 'name' | 'uuid'> & {
	/** Its UUID, or its ID if the service has no UUIDs: the key under which its answer is sent. */
	id: string;
	/** The label, as labels are compared, if several fields have it. */
	sharedLabel?: string;
};

/** The fields of a form that can be answered through the API, in the form's order. */
export function parseInputFields(records: readonly IDataObject[]): InputField[] {
	const fields = parseFields(records).filter(({ uuid }) => isId(uuid));
	const labels = fields.map(({ label }) => toComparable(label));
	const counts = countBy(labels);
	return fields.map(({ uuid = '', ...field }, index) => ({
		...field,
		id: uuid,
		sharedLabel: counts[labels[index]] > 1 ? labels[index] : undefined,
	}));
}

/**
 * The one reader of a field's name: the fields that have it as their UUID or ID, else as their custom key,
 * else as their label with its number ("Full name (2)"), else in other capitals as one of these. Several
 * fields only if they share a custom key, or differ from each other in capitals alone.
 */
export function findField<Field extends Partial<FormField & InputField>>(
	name: string,
	fields: readonly Field[],
): Field[] {
	const exact = toComparable(name);
	const caseless = toCaseless(name);
	const tests: Array<(field: Field) => boolean> = [
		({ id = '', ids = [normalizeId(id)] }) => ids.includes(normalizeId(exact)),
		({ customKey = '' }) => toComparable(customKey) === exact,
		({ title = '' }) => toComparable(title) === exact,
		({ customKey = '' }) => toCaseless(customKey) === caseless,
		({ title = '' }) => toCaseless(title) === caseless,
	];
	const found = exact === '' ? [] : tests.map((test) => fields.filter(test));
	return found.find((some) => some.length > 0) ?? [];
}

/** The field that a name in the input stands for, or the several fields that the name stands for. */
export type NamedField = { name: string; field?: InputField; sharedBy: InputField[] };

/**
 * The fields that the names in the input stand for. If several fields have a label, the label stands for
 * the first of them only if the numbered label of another one is given too ("Comment" and "Comment (2)").
 */
export function findFields(names: readonly string[], fields: readonly InputField[]): NamedField[] {
	const found = names.map((name) => ({ name, candidates: findField(name, fields) }));
	const named = new Set(found.flatMap(({ candidates }) => candidates));
	return found.map(({ name, candidates }) => {
		const [field, ...others] = candidates;
		if (others.length > 0) return { name, sharedBy: candidates };
		if (field?.sharedLabel === undefined) return { name, field, sharedBy: [] };
		const sharing = fields.filter(({ sharedLabel }) => sharedLabel === field.sharedLabel);
		const isAmbiguous =
			field === sharing[0] &&
			toCaseless(name) === toCaseless(field.title) &&
			!sharing.slice(1).some((one) => named.has(one));
		return isAmbiguous ? { name, sharedBy: sharing } : { name, field, sharedBy: [] };
	});
}
