import { pick, pickBy, uniqBy } from 'lodash';
import type { GenericValue, IDataObject } from 'n8n-workflow';
import { readBoolean, readNumber, readTime } from '../readers';
import { choicesByName, findChoice, splitChoices } from './fields';
import type { Choice, FormField } from './fields';
import { isNothing, matchAnswers } from './match';
import { COLUMN_ATTRIBUTES, KEPT_ATTRIBUTES, tellApart } from './names';
import { withFiles } from './uploads';

/**
 * A response in a shape that is easy to use in a workflow: its answers first, then at most ten attributes
 * of the service. `fields` has the UUIDs of the fields, if they are known. `answersError` is a sentence on
 * the answers that could not be read.
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
 * A response as a row of a table: a column for each field, in the form's order, then columns for attributes
 * of the service. Answers that belong to no field follow, and a sentence on the answers that could not be
 * read.
 *
 * @param details adds all attributes that are kept, and a column for each note even if there is none
 */
export function toColumns(
	record: IDataObject,
	fields: readonly FormField[],
	details = false,
): IDataObject {
	const { answers, byPosition, problem } = matchAnswers(record, fields);
	const valueOf = new Map(answers.map(({ field, value }) => [field, value]));
	const cells = fields.map((field) => [field.name, typedValue(valueOf.get(field), field)]);
	const attributes = details ? KEPT_ATTRIBUTES : COLUMN_ATTRIBUTES;
	// headings have entries without a value
	const others = answers.filter(({ field, value }) => field === undefined && !isNothing(value));
	const names = tellApart(others.map(({ label }) => label));
	const otherCells = others.map(({ value }, index) => [names[index], typedValue(value)]);
	const isRepeating = uniqBy(fields, 'label').length < fields.length;
	const notes = {
		otherAnswers: others.length > 0 ? Object.fromEntries(otherCells) : null,
		...(details && isRepeating && { matchedByPosition: byPosition.length > 0 ? byPosition : null }),
		answersError: problem ?? null,
	};
	return {
		...(Object.fromEntries(cells) as IDataObject),
		...Object.fromEntries(attributes.map((name) => [name, record[name] ?? null])),
		...(details ? notes : pickBy(notes)),
	};
}

/**
 * The value of an answer by the kind of its field: a number, a boolean, a date in ISO 8601, a list. Text
 * becomes a number only if the number is written the same way, so that "01234" and "+4912345" stay as they
 * are. A value that is not certain stays as the service gave it; an empty value is null.
 */
export function typedValue(given: GenericValue, field?: FormField): GenericValue {
	const value = withFiles(given ?? null);
	if (field === undefined) return value;
	if (value === null || value === '') return null;
	if (Array.isArray(value) && value.length === 0) return null;
	switch (field.kind) {
		case 'number': {
			const number = typeof value === 'string' ? readNumber(value) : undefined;
			return number !== undefined && String(number) === value ? number : value;
		}
		case 'boolean':
			return readBoolean(value) ?? value;
		case 'date': {
			// a number is a time since 1970; the order of day and month in a text is not known
			const time = typeof value === 'number' ? readTime(value, 'utc') : undefined;
			return time === undefined ? value : new Date(time).toISOString();
		}
		case 'file':
			return typeof value === 'object' && !Array.isArray(value) ? [value] : value;
		case 'multipleChoice':
			return Array.isArray(value) ? value : asChoices(value, field.choices);
		default:
			return value;
	}
}

/** One choice, or several with commas between them, if all of them are choices of the field. */
function asChoices(value: GenericValue, choices: readonly Choice[]): GenericValue[] {
	const known = choicesByName(choices);
	const isChoice = (one: GenericValue) => findChoice(one, known) !== undefined;
	if (typeof value !== 'string' || isChoice(value)) return [value];
	const parts = splitChoices(value, known);
	return parts.length > 0 && parts.every(isChoice) ? parts : [value];
}
