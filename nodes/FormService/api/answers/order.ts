import type { IDataObject } from 'n8n-workflow';

/**
 * Oldest first: by the time of the record, then by `number`, then by an `id` that counts up, and
 * otherwise as the listing has them. An attribute that one of them lacks, or that cannot be read in
 * one, is left out of it, since no order is right for a mixture.
 */
export function oldestFirst<T extends { record: IDataObject }>(entries: readonly T[]): T[] {
	return ordered(entries, 1);
}

/** The other way round; what is equally old stays as the listing has it. */
export function newestFirst<T extends { record: IDataObject }>(entries: readonly T[]): T[] {
	return ordered(entries, -1);
}

function ordered<T extends { record: IDataObject }>(entries: readonly T[], direction: 1 | -1): T[] {
	const keys = KEYS.map((key) => entries.map(({ record }) => key(record))).filter((values) =>
		values.every(Number.isFinite),
	);
	return entries
		.map((entry, index) => ({ entry, index }))
		.sort((left, right) =>
			keys.reduce((order, key) => order || (key[left.index] - key[right.index]) * direction, 0),
		)
		.map(({ entry }) => entry);
}

/** When a response was submitted, or else created, in epoch milliseconds; undefined where it is not known. */
export function submittedAt(record: IDataObject): number | undefined {
	return [...SUBMITTED, ...TIMES].map((name) => toEpochMs(record[name])).find(Number.isFinite);
}

const SUBMITTED = ['submitted_at', 'submittedAt', 'completed_at', 'completedAt'];

/** When a response or form was created, in epoch milliseconds; undefined where that cannot be read. */
export function createdAt(record: IDataObject): number | undefined {
	return CREATED.map((name) => toEpochMs(record[name])).find(Number.isFinite);
}

const CREATED = ['created_at', 'createdAt', 'created'];

/** The specification names no time of a response: these are names that services give it, best first. */
const TIMES = [...CREATED, ...SUBMITTED, 'date', 'timestamp'];

/** What the order goes by. A time of change is the last resort: it is late where one was edited. */
const KEYS = [
	...TIMES.map(timeIn),
	numberIn('number'),
	numberIn('id'),
	...['updated_at', 'updatedAt'].map(timeIn),
];

function timeIn(name: string) {
	return (record: IDataObject): number => toEpochMs(record[name]);
}

/** Numbers below it are seconds: as milliseconds, they would be of 1973 or before. */
const SECONDS_BELOW = 1e11;

/** A date and time without a zone, which is UTC (specification, section 2.1). */
const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/;

/** A time of the service, as text or number, in epoch milliseconds; NaN where it is none. */
export function toEpochMs(value: unknown): number {
	const number = toNumber(value);
	if (Number.isFinite(number)) return number < SECONDS_BELOW ? number * 1_000 : number;
	if (typeof value !== 'string') return NaN;
	return Date.parse(WITHOUT_ZONE.test(value) ? `${value.replace(' ', 'T')}Z` : value);
}

function numberIn(name: string) {
	return (record: IDataObject): number => toNumber(record[name]);
}

/** A number, also as text; NaN where there is none. */
function toNumber(value: unknown): number {
	if (typeof value === 'number') return value;
	return typeof value === 'string' && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : NaN;
}
