import { snakeCase } from 'lodash';
import type { FieldKind } from './fieldKinds';

/** The attributes of a response that always become columns if the user chooses One Column per Field. */
export const COLUMN_ATTRIBUTES = ['uuid', 'number', 'created_at', 'is_incomplete', 'referrer'];

/** The attributes of a simplified response, in addition to `answers`. Conditions can compare these attributes. */
export const SIMPLIFIED_ATTRIBUTES =
	'uuid id number number_formatted is_incomplete created_at submitted_at referrer'.split(' ');

/** The attributes of a response that the editor lists for conditions. */
export const FILTERABLE_ATTRIBUTES: Readonly<Record<string, { title: string; kind: FieldKind }>> = {
	is_incomplete: { title: 'Incomplete', kind: 'boolean' },
	number: { title: 'Number', kind: 'number' },
	referrer: { title: 'Referrer', kind: 'text' },
	submitted_at: { title: 'Submitted At', kind: 'dateTime' },
};

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
