import { orderBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { parseNumber, parseTimeMs } from './values';

/**
 * Sorts records by `getSubmissionTimeMs`, then by `number`. Records without a time come last. Records with the
 * same time and number keep their order.
 */
export function sortByTime<T extends { record: IDataObject }>(
	entries: readonly T[],
	first: 'newest' | 'oldest',
): T[] {
	const direction = first === 'oldest' ? 'asc' : 'desc';
	const missing = first === 'oldest' ? Infinity : -Infinity;
	const getTime = ({ record }: T) => getSubmissionTimeMs(record) ?? missing;
	const getNumber = ({ record }: T) => parseNumber(record.number) ?? missing;
	return orderBy(entries, [getTime, getNumber], [direction, direction]);
}

/**
 * Returns the submission time of a response. If there is no submission time, returns the creation time. Times
 * without a zone are UTC (specification, section 2.1).
 *
 * @returns epoch milliseconds; undefined if no time is readable
 */
export function getSubmissionTimeMs(record: IDataObject): number | undefined {
	const { submitted_at, completed_at, created_at } = record;
	const times = [submitted_at, completed_at, created_at].map((time) => parseTimeMs(time, 'utc'));
	return times.find((time) => time !== undefined);
}

/**
 * Returns the creation time of a response or form, in epoch milliseconds. Undefined if the time is missing or
 * unreadable.
 */
export function getCreationTimeMs({ created_at: time }: IDataObject): number | undefined {
	return parseTimeMs(time, 'utc');
}
