import type { IDataObject } from 'n8n-workflow';

/**
 * Oldest first: by the time of the response, then by `number`, then by an `id` that counts up, and
 * otherwise as the listing has them. An attribute that one of them lacks, or that cannot be read in
 * one, is left out of it, since no order is right for a mixture.
 */
export function oldestFirst<T extends { record: IDataObject }>(responses: readonly T[]): T[] {
	const keys = KEYS.filter((key) => responses.every(({ record }) => Number.isFinite(key(record))));
	return [...responses].sort((left, right) =>
		keys.reduce((order, key) => order || key(left.record) - key(right.record), 0),
	);
}

/** The specification names no time of a response: these are names that services give it, best first. */
const TIMES = [
	'created_at',
	'createdAt',
	'created',
	'submitted_at',
	'submittedAt',
	'completed_at',
	'completedAt',
	'date',
	'timestamp',
];

/** What the order goes by. A time of change is the last resort: it is late where one was edited. */
const KEYS = [
	...TIMES.map(timeIn),
	numberIn('number'),
	numberIn('id'),
	...['updated_at', 'updatedAt'].map(timeIn),
];

/** A date as epoch milliseconds, or the number that the time is already, in whatever unit. */
function timeIn(name: string) {
	const asNumber = numberIn(name);
	return (record: IDataObject): number => {
		const number = asNumber(record);
		const time = record[name];
		return Number.isNaN(number) && typeof time === 'string' ? Date.parse(time) : number;
	};
}

/** A number, also as text; NaN where there is none. */
function numberIn(name: string) {
	return ({ [name]: value }: IDataObject): number => {
		if (typeof value === 'number') return value;
		return typeof value === 'string' && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : NaN;
	};
}
