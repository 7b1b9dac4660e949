import { groupBy, memoize } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { readBoolean } from '../readers';
import { getId, isId, isUuid } from '../records';
import { parseChoices } from './choices';
import type { Choice } from './choices';
import { readLabelText } from './decode';
import { findKind } from './kinds';
import type { FieldKind } from './kinds';
import { indexNames, makeUnique, RESERVED_COLUMNS, toComparable } from './names';

/** How the fields of a form are named in items. */
export type Naming = { answerKeys?: 'customKey' | 'label' | 'uuid'; columns?: boolean };

/** A field of a form that takes an answer. */
export type FormField = {
	/** Its place in the list of fields. */
	position: number;
	/** The name of its answer in an item. */
	name: string;
	/** The label as people read it, numbered if other fields share it: "Full name (2)". Without a label, the ID. */
	title: string;
	/** The label as the service sends it, also with answers; it can be empty. */
	label: string;
	/** Its UUID, else its ID, as the service writes it. */
	uuid?: string;
	/** A name that the form's author gave to the field for programs. */
	customKey?: string;
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
	const fields = records.map(parseField).filter(({ kind }) => kind !== 'layout');
	const labels = fields.map(({ label, uuid = '' }) => (label.trim() === '' ? uuid : label));
	const titles = makeUnique(labels);
	const names = makeUnique(
		fields.map((field, index) => field[answerKeys] || labels[index]),
		columns ? RESERVED_COLUMNS : [],
	);
	return fields.map((field, position) => {
		return { ...field, position, name: names[position], title: titles[position] };
	});
}

function parseField(record: IDataObject) {
	const { options, required, mandatory } = record;
	const kind = findKind(record);
	return {
		label: readLabelText(record.label) ?? readLabelText(record.name) ?? '',
		uuid: getId(record),
		customKey: readLabelText(record.custom_key)?.trim() || undefined,
		kind,
		isRequired: [required, mandatory].some((one) => readBoolean(one) === true),
		choices: ['singleChoice', 'multipleChoice'].includes(kind) ? parseChoices(options) : [],
	};
}

/** A field that can be answered through the API: its UUID, or its ID if the service has no UUIDs, is the key of its answer. */
export type InputField = FormField & { uuid: string };

/** The fields of a form that can be answered through the API, in the form's order. */
export function parseInputFields(records: readonly IDataObject[]): InputField[] {
	return parseFields(records).filter((field): field is InputField => isId(field.uuid));
}

/** The fields by each of their names, made once for each list of fields: nobody changes one in place. */
export const indexFields = memoize((fields: readonly FormField[]) => ({
	byUuid: groupFields(fields, 'uuid'),
	byKey: groupFields(fields, 'customKey'),
	/** By the label that is sent, under which the service lists answers too. */
	byLabel: groupFields(fields, 'label'),
	findByName: indexAllNames(fields),
	haveUuids: fields.some(({ uuid }) => isUuid(uuid)),
}));
indexFields.cache = new WeakMap();

function groupFields(fields: readonly FormField[], attribute: 'customKey' | 'label' | 'uuid') {
	const named = fields.filter((field) => field[attribute] !== undefined);
	const groups = groupBy(named, (field) => toComparable(field[attribute]!));
	return new Map(Object.entries(groups));
}

/** A UUID counts before a custom key, and a key before a label. */
function indexAllNames(fields: readonly FormField[]) {
	const attributes = ['uuid', 'customKey', 'title', 'label'] as const;
	const named = attributes.flatMap((attribute) =>
		fields.map((field) => [field[attribute], field] as const),
	);
	return indexNames(named.filter((one): one is [string, FormField] => one[0] !== undefined));
}

/**
 * The field that a name stands for, case-insensitively: its UUID, its custom key, or its label, which has a
 * number if other fields share it ("Full name (2)"). The label alone means the first of them.
 */
export function findField<F extends FormField>(name: string, fields: readonly F[]): F | undefined {
	return indexFields(fields).findByName(name) as F | undefined;
}
