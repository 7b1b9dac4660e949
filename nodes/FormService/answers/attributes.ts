import { snakeCase } from 'lodash';
import type { FieldKind } from './fieldKinds';

/** The attributes of a response that always become columns if the user chooses One Column per Field. */
export const COLUMN_ATTRIBUTES = ['uuid', 'number', 'created_at', 'is_incomplete', 'referrer'];

/** The attributes of a simplified response, in addition to `answers`. */
export const SIMPLIFIED_ATTRIBUTES =
	'uuid id number number_formatted is_incomplete created_at referrer'.split(' ');

/** Distinguishes an attribute in a condition from a field with the same name. */
export const ATTRIBUTE_PREFIX = 'attribute:';

/** An attribute of a response that conditions can compare. */
export type Attribute = { name: string; title: string; kind: FieldKind; choices: [] };

export const FILTERABLE_ATTRIBUTES: readonly Attribute[] = [
	{ name: 'created_at', title: 'Created At', kind: 'dateTime', choices: [] },
	{ name: 'is_incomplete', title: 'Incomplete', kind: 'boolean', choices: [] },
	{ name: 'number', title: 'Number', kind: 'number', choices: [] },
	{ name: 'referrer', title: 'Referrer', kind: 'text', choices: [] },
];

/** Returns the column of anything that is not an answer: `createdAt` → `response_created_at`. */
export function toColumnName(name: string): string {
	return `response_${snakeCase(name)}`;
}

/**
 * The names that the column of an answer never has. Only items of the trigger have `event`, `form` and
 * `example`.
 */
export const RESERVED_COLUMNS = [
	...COLUMN_ATTRIBUTES,
	...['answersError', 'event', 'example', 'fileError', 'form', 'otherAnswers'],
].map(toColumnName);
