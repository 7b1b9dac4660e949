import { z } from 'zod';
import type { FieldKind, InputField } from '../../api/answers/fields';

const text = z.string().optional().catch(undefined);
const flag = z.boolean().catch(false);

/**
 * A field of the form as the resource mapper has stored it (`editor/mapperFields`). Workflows that were
 * built without the editor may have only a part of it.
 */
const storedField = z.object({
	id: z.string(),
	uuid: text,
	displayName: text,
	label: text,
	sharedLabel: text,
	customKey: text,
	formId: text,
	kind: text,
	type: text,
	required: flag,
	removed: flag,
	options: z
		.array(z.object({ name: z.coerce.string(), value: z.union([z.string(), z.number()]) }))
		.catch([]),
});

type StoredField = z.infer<typeof storedField>;

/** The kinds of fields by n8n's types, for fields that were stored without their kind. */
const KINDS: Readonly<Record<string, FieldKind>> = {
	boolean: 'boolean',
	dateTime: 'date',
	number: 'number',
	options: 'singleChoice',
	url: 'file',
};

const FIELD_KINDS: readonly FieldKind[] = [
	'boolean',
	'date',
	'file',
	'multipleChoice',
	'number',
	'singleChoice',
	'text',
];

/** A field, and the key of its answer in the mapper's value. */
export type MappedField = InputField & { key: string };

/**
 * The fields that the resource mapper has stored of a form; undefined if it has stored none, or those of
 * another form, as when an expression chooses the form.
 */
export function storedFields(schema: unknown, formId: string): MappedField[] | undefined {
	const entries: unknown[] = Array.isArray(schema) ? schema : [];
	const fields = entries.flatMap((entry) => {
		const { data } = storedField.safeParse(entry);
		return data === undefined ? [] : [data];
	});
	const isOther = fields.some((field) => field.formId !== undefined && field.formId !== formId);
	if (fields.length === 0 || isOther) return undefined;
	return fields.filter(({ removed }) => !removed).map(toMappedField);
}

function toMappedField(stored: StoredField): MappedField {
	const { id, uuid, label, displayName, sharedLabel, customKey, required, options } = stored;
	const title = (label ?? displayName ?? id).trim();
	return {
		id: uuid ?? id,
		key: id,
		title: title === '' ? id : title,
		sharedLabel: sharedLabel?.trim(),
		customKey: customKey?.trim(),
		kind: FIELD_KINDS.find((kind) => kind === stored.kind) ?? KINDS[stored.type ?? ''] ?? 'text',
		isRequired: required,
		choices: options,
	};
}
