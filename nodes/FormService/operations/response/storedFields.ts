import { z } from 'zod';
import { FIELD_KINDS } from '../../api/answers/kinds';
import type { InputField } from '../../api/answers/fields';
import type { FieldKind } from '../../api/answers/kinds';

const text = z.string().trim().optional().catch(undefined);

/** The kinds of fields by n8n's types, for fields that were stored without their kind. */
const KINDS_BY_N8N_TYPE: Readonly<Record<string, FieldKind>> = {
	boolean: 'boolean',
	dateTime: 'date',
	number: 'number',
	options: 'singleChoice',
	url: 'file',
};

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
	kind: z.enum(FIELD_KINDS).optional().catch(undefined),
	type: text,
	required: z.boolean().catch(false),
	removed: z.boolean().catch(false),
	options: z
		.array(z.object({ name: z.coerce.string(), value: z.union([z.string(), z.number()]) }))
		.catch([]),
});

/** A field, and the key of its answer in the mapper's value. */
export type MappedField = InputField & { key: string };

/**
 * The fields that the resource mapper has stored of a form; undefined if it has stored none, or those of
 * another form, as when an expression chooses the form.
 */
export function parseStoredFields(schema: unknown, formId: string): MappedField[] | undefined {
	const entries: unknown[] = Array.isArray(schema) ? schema : [];
	const fields = entries.flatMap((entry) => storedField.safeParse(entry).data ?? []);
	const isOther = fields.some((field) => field.formId !== undefined && field.formId !== formId);
	if (fields.length === 0 || isOther) return undefined;
	return fields
		.filter(({ removed }) => !removed)
		.map(({ id, uuid = id, label, displayName, kind, type = '', required, ...field }) => ({
			id: uuid,
			key: id,
			title: (label ?? displayName) || id,
			sharedLabel: field.sharedLabel,
			customKey: field.customKey,
			kind: kind ?? KINDS_BY_N8N_TYPE[type] ?? 'text',
			isRequired: required,
			choices: field.options,
		}));
}
