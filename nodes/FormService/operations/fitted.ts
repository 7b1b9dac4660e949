import { pick } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../api/records';

/** Lengths to which the texts of a long result are cut, one after another, until it fits. */
const TEXT_LENGTHS = [2_000, 500, 100];

/** Entries to which its lists are cut together with the texts. */
const MAX_ENTRIES = 50;

/**
 * A result of at most so many characters of JSON: the very same if it is short enough, else with its long
 * texts and lists cut, else no more than its ID and name.
 */
export function fittedTo(maxCharacters: number, json: IDataObject): IDataObject {
	const isShort = (candidate: IDataObject) => JSON.stringify(candidate).length <= maxCharacters;
	if (isShort(json)) return json;
	const shortened = TEXT_LENGTHS.map((length) => cutTo(length, json) as IDataObject);
	const identity = cutTo(TEXT_LENGTHS[2], pick(json, ['id', 'uuid', 'name', 'number']));
	return shortened.find(isShort) ?? (identity as IDataObject);
}

function cutTo(length: number, value: unknown): unknown {
	if (typeof value === 'string') {
		return value.length > length ? `${value.slice(0, length)}…` : value;
	}
	if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((entry) => cutTo(length, entry));
	if (!isRecord(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, entry]) => [name, cutTo(length, entry)]),
	);
}
