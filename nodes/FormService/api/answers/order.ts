import type { IDataObject } from 'n8n-workflow';
import { readNumber, readTime } from '../readers';

/**
 * Oldest first: by the time of submission, else of creation, then by `number`, then by an `id` that counts
 * up, and otherwise as listed. Where some have no time, `number` decides if all have one; else those
 * without a time come last.
 */
export function oldestFirst<T extends { record: IDataObject }>(entries: readonly T[]): T[] {
	return ordered(entries, 1);
}

/** Newest first, by the same attributes. Equally old entries stay as listed, and those without a time come last. */
export function newestFirst<T extends { record: IDataObject }>(entries: readonly T[]): T[] {
	return ordered(entries, -1);
}

function ordered<T extends { record: IDataObject }>(entries: readonly T[], direction: 1 | -1): T[] {
	const keys = KEYS.map((key) => entries.map(({ record }) => key(record)));
	const whole = keys.filter((values) => values.every((value) => value !== undefined));
	const used = whole.length > 0 ? whole : keys.slice(0, 1);
	return entries
		.map((entry, index) => ({ entry, index }))
		.sort((left, right) =>
			used.reduce(
				(order, key) => order || compare(key[left.index], key[right.index], direction),
				0,
			),
		)
		.map(({ entry }) => entry);
}

function compare(left: number | undefined, right: number | undefined, direction: 1 | -1): number {
	if (left === undefined || right === undefined) {
		return Number(left === undefined) - Number(right === undefined);
	}
	return (left - right) * direction;
}

/** When a response was submitted, or else created, in epoch milliseconds; undefined where that cannot be read. */
export function submittedAt(record: IDataObject): number | undefined {
	return firstTime(record, [...SUBMITTED, ...CREATED, 'date', 'timestamp']);
}

const SUBMITTED = ['submitted_at', 'submittedAt', 'completed_at', 'completedAt'];

/** When a response or form was created, in epoch milliseconds; undefined where that cannot be read. */
export function createdAt(record: IDataObject): number | undefined {
	return firstTime(record, CREATED);
}

const CREATED = ['created_at', 'createdAt', 'created'];

/** The keys of the order, the best first. A time of change comes last, since an edit moves it. */
const KEYS: ReadonlyArray<(record: IDataObject) => number | undefined> = [
	submittedAt,
	({ number }) => readNumber(number),
	({ id }) => readNumber(id),
	(record) => firstTime(record, ['updated_at', 'updatedAt']),
];

/** The service's own times are UTC (specification, section 2.1). */
function firstTime(record: IDataObject, names: readonly string[]): number | undefined {
	return names.map((name) => readTime(record[name], 'utc')).find((time) => time !== undefined);
}
