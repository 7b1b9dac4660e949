import { pick, pickBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { COLUMN_ATTRIBUTES, KEPT_ATTRIBUTES } from './attributes';
import { repeatedLabels } from './fields';
import type { FormField } from './fields';
import { tellApart } from './labels';
import { isNothing, matchAnswers } from './match';
import type { MatchedAnswers } from './match';
import { typedValue } from './typed';

/**
 * A response in a form that is easy to use in a workflow: its answers first, then at most ten of the
 * service's own attributes, and `fields` with the UUIDs where they are known. `answersError` says what
 * could not be read of the answers.
 *
 * @param fields name and type the answers; without them, labels name the answers
 */
export function simplifyResponse(record: IDataObject, fields?: readonly FormField[]): IDataObject {
	const { answers, byPosition, problem } = matchAnswers(record, fields);
	const cells = answers.map(({ name, value, field }) => [name, typedValue(value, field)] as const);
	const withUuid = answers.flatMap(({ uuid, id, label, field }, index) => {
		const known = field?.uuid ?? uuid ?? id;
		return known === undefined ? [] : [{ uuid: known, label, value: cells[index][1] }];
	});
	return {
		answers: Object.fromEntries(cells),
		...pick(record, KEPT_ATTRIBUTES),
		...(withUuid.length > 0 && { fields: withUuid }),
		...(byPosition.length > 0 && { matchedByPosition: byPosition }),
		...(problem !== undefined && { answersError: problem }),
	};
}

/**
 * A response as a row of a table: each field is a column, in the form's order, then who and when. What the
 * fields do not take, and what could not be read, has a column where there is something.
 *
 * @param details adds all of the service's own attributes that are kept, and a column for all of that
 */
export function toColumns(
	record: IDataObject,
	fields: readonly FormField[],
	details = false,
): IDataObject {
	const matched = matchAnswers(record, fields);
	const valueOf = new Map(matched.answers.map(({ field, value }) => [field, value]));
	const cells = fields.map((field) => [field.name, typedValue(valueOf.get(field), field)]);
	const attributes = details ? KEPT_ATTRIBUTES : COLUMN_ATTRIBUTES;
	return {
		...(Object.fromEntries(cells) as IDataObject),
		...Object.fromEntries(attributes.map((name) => [name, record[name] ?? null])),
		...(details ? notesOn(matched, fields) : pickBy(notesOn(matched, []), isGiven)),
	};
}

/** What stands beside the fields; null where there is nothing. */
function notesOn(
	{ answers, byPosition, problem }: MatchedAnswers,
	fields: readonly FormField[],
): IDataObject {
	// headings have entries without a value
	const others = answers.filter(({ field, value }) => field === undefined && !isNothing(value));
	const names = tellApart(others.map(({ label }) => label));
	const cells = others.map(({ value }, index) => [names[index], typedValue(value)]);
	return {
		otherAnswers: cells.length === 0 ? null : Object.fromEntries(cells),
		...(repeatedLabels(fields).length > 0 && {
			matchedByPosition: byPosition.length === 0 ? null : byPosition,
		}),
		answersError: problem ?? null,
	};
}

function isGiven(note: unknown): boolean {
	return note !== null;
}
