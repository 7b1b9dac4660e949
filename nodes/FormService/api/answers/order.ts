import { orderBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { readNumber, readTime } from '../readers';

type Entry = { record: IDataObject };

/**
 * Oldest first: by the time of submission, else of creation, then by `number`, and otherwise as listed. Those
 * without a time come last.
 */
export function sortOldestFirst<T extends Entry>(entries: readonly T[]): T[] {
	return sortEntries(entries, 'asc', Infinity);
}

/** Newest first, by the same attributes. Those without a time come last. */
export function sortNewestFirst<T extends Entry>(entries: readonly T[]): T[] {
	return sortEntries(entries, 'desc', -Infinity);
}

function sortEntries<T extends Entry>(
	entries: readonly T[],
	direction: 'asc' | 'desc',
	missing: number,
): T[] {
	const getTime = ({ record }: Entry) => getSubmissionTime(record) ?? missing;
	const getNumber = ({ record }: Entry) => readNumber(record.number) ?? missing;
	return orderBy(entries, [getTime, getNumber], [direction, direction]);
}

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
