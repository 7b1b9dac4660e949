import type { GenericValue } from 'n8n-workflow';
import { readBoolean, readNumber, readTime } from '../readers';
import { choicesByName, splitChoices } from './choices';
import type { FormField } from './fields';
import { withFiles } from './uploads';

/**
 * The value of an answer by the kind of its field: a number, a boolean, a date in ISO 8601, a list. Text
 * becomes a number only if the number is written the same way, so that "01234" and "+4912345" stay as they
 * are. What is not certain stays as the service gave it; nothing is null.
 */
export function typedValue(given: GenericValue, field?: FormField): GenericValue {
	const value = withFiles(given ?? null);
	if (field === undefined) return value;
	if (value === null || value === '') return null;
	if (Array.isArray(value) && value.length === 0) return null;
	switch (field.kind) {
		case 'number':
			return asNumber(value);
		case 'boolean':
			return readBoolean(value) ?? value;
		case 'date':
			return asDate(value);
		case 'file':
			return typeof value === 'object' && !Array.isArray(value) ? [value] : value;
		case 'multipleChoice':
			return Array.isArray(value) ? value : asChoices(value, field.options);
		default:
			return value;
	}
}

function asNumber(value: GenericValue): GenericValue {
	const number = typeof value === 'string' ? readNumber(value) : undefined;
	return number !== undefined && String(number) === value ? number : value;
}

/** A number is a time since 1970. A text is in ISO 8601, or its order of day and month is not known. */
function asDate(value: GenericValue): GenericValue {
	const time = typeof value === 'number' ? readTime(value, 'utc') : undefined;
	return time === undefined ? value : new Date(time).toISOString();
}

/** One choice, or several with commas between them, if all of them are choices of the field. */
function asChoices(value: GenericValue, options: readonly unknown[]): GenericValue[] {
	if (typeof value !== 'string' || options.includes(value)) return [value];
	const choices = choicesByName(options.map(String).map((name) => ({ name, value: name })));
	const parts = splitChoices(value, choices);
	const areChoices = parts.length > 0 && parts.every((part) => options.includes(part));
	return areChoices ? parts : [value];
}
