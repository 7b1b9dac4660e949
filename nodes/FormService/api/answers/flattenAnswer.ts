import { omit } from 'lodash';
import { getListEntries, isRecord } from '../records';
import { isBlank } from './fieldKinds';
import { findFile } from './uploads';

/** A value that conditions compare and searches look into. */
export type Scalar = string | number | boolean;

/**
 * Returns the texts, numbers and booleans in an answer, at any depth. Leaves out the address of an uploaded
 * file, because users do not search for its host or signature.
 *
 * @param isFileField whether the answer belongs to a file field
 */
export function flattenAnswer(value: unknown, isFileField = false): Scalar[] {
	const flatten = (entry: unknown) => flattenAnswer(entry, isFileField);
	const entries = getListEntries(value);
	if (entries !== undefined) return entries.flatMap(flatten);
	const file = findFile(value, isFileField);
	if (isRecord(value)) {
		const attributes = file === undefined ? value : omit(value, 'name', 'url');
		return [...(file ? [file.name] : []), ...Object.values(attributes).flatMap(flatten)];
	}
	if (file !== undefined) return [file.name];
	return isBlank(value) ? [] : [value as Scalar];
}
