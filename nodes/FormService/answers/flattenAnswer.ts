import { omit } from 'lodash';
import { getListEntries, isRecord } from '../api/records';
import { isBlank } from './fieldKinds';
import { parseFileEntry } from './uploads';

/** A string, number or boolean in an answer. Conditions and searches compare these values. */
export type Scalar = string | number | boolean;

/**
 * Returns the strings, numbers and booleans in an answer, at any depth: `["Red", {"size": 3}]` → `["Red", 3]`.
 * Leaves out the URL of an uploaded file, because users do not search for a URL.
 *
 * @param isFileField whether the answer belongs to a file field
 */
export function flattenAnswer(value: unknown, isFileField = false): Scalar[] {
	const flatten = (entry: unknown) => flattenAnswer(entry, isFileField);
	const entries = getListEntries(value);
	if (entries !== undefined) return entries.flatMap(flatten);
	const file = parseFileEntry(value, isFileField);
	if (isRecord(value)) {
		const attributes = file === undefined ? value : omit(value, 'name', 'url');
		return [...(file ? [file.name] : []), ...Object.values(attributes).flatMap(flatten)];
	}
	if (file !== undefined) return [file.name];
	return isBlank(value) ? [] : [value as Scalar];
}
