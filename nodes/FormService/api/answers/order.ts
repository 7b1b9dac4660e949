import { orderBy, partition } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { readNumber, readTime } from '../readers';

/**
 * Oldest first: by the time of submission, else of creation, then by `number`, then by an `id` that counts
 * up, and otherwise as listed. If some have no time, `number` decides if all have one; else those without
 * a time come last.
 */
export function sortOldestFirst<T extends { record: IDataObject }>(entries: readonly T[]): T[] {
	return sortEntries(entries, 'asc');
}

/** Newest first, by the same attributes. Equally old entries stay as listed, and those without a time come last. */
export function sortNewestFirst<T extends { record: IDataObject }>(entries: readonly T[]): T[] {
	return sortEntries(entries, 'desc');
}

function sortEntries<T extends { record: IDataObject }>(
	entries: readonly T[],
	direction: 'asc' | 'desc',
): T[] {
	const has = (key: Key) => (entry: T) => key(entry.record) !== undefined;
	const whole = KEYS.filter((key) => entries.every(has(key)));
	const used = whole.length > 0 ? whole : [getSubmissionTime];
	const [timed, others] = partition(entries, has(used[0]));
	const byUsed = used.map((key) => (entry: T) => key(entry.record));
	return [...orderBy(timed, byUsed, Array(used.length).fill(direction)), ...others];
}

type Key = (record: IDataObject) => number | undefined;

/**
 * When a response was submitted, or else created, in epoch milliseconds; undefined if that cannot be read.
 * The service's own times are UTC (specification, section 2.1).
 */
export function getSubmissionTime(record: IDataObject): number | undefined {
	const { submitted_at, completed_at, created_at } = record;
	const times = [submitted_at, completed_at, created_at].map((time) => readTime(time, 'utc'));
	return times.find((time) => time !== undefined);
}

/** When a response or form was created, in epoch milliseconds; undefined if that cannot be read. */
export function getCreationTime({ created_at: time }: IDataObject): number | undefined {
	return readTime(time, 'utc');
}

/** The keys of the order, the best first. */
const KEYS: readonly Key[] = [
	getSubmissionTime,
	({ number }) => readNumber(number),
	({ id }) => readNumber(id),
];
