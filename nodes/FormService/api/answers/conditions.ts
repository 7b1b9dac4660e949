import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { saysNo, saysYes } from '../records';
import { decodeAnswers, partsOf } from './decode';
import type { Answer } from './decode';
import { toEpochMs } from './order';

/** How a value is compared, in the order of the editor's list. */
export const operators = [
	'after',
	'before',
	'contains',
	'greater',
	'is',
	'isEmpty',
	'isNot',
	'less',
] as const;

export type Operator = (typeof operators)[number];

export type Condition = {
	/** The label, UUID or custom key of a field, or else the name of an attribute of the response. */
	field: string;
	operator: Operator;
	/** What it is compared with; of no account for `isEmpty`. */
	value: string;
};

export type Conditions = {
	match: 'all' | 'any';
	conditions: readonly Condition[];
	/** The time zone of the workflow, in which times without one are. */
	zone: string;
};

/** Whether a response meets the conditions; without any, each does. */
export function meets(record: IDataObject, { match, conditions, zone }: Conditions): boolean {
	if (conditions.length === 0) return true;
	const { answers } = decodeAnswers(record);
	const holds = (condition: Condition) =>
		isTrue(condition, valuesOf(record, answers, condition.field, zone), zone);
	return match === 'all' ? conditions.every(holds) : conditions.some(holds);
}

/** What a field has, and the zone of its times where they do not say it. */
type Values = { values: readonly unknown[]; zone: string };

/**
 * The values of a field, one by one: of two fields with one label, both; of a multiple choice, each.
 * What is empty is left out. The service's own times are UTC (specification, section 2.1); a date that
 * was answered is one of the calendar.
 */
function valuesOf(
	record: IDataObject,
	answers: readonly Answer[],
	field: string,
	zone: string,
): Values {
	const wanted = normal(field);
	const own = answers.filter(({ label, uuid, customKey }) =>
		[label, uuid, customKey].some((name) => name !== undefined && normal(name) === wanted),
	);
	const isAnswer = own.length > 0;
	const found = isAnswer ? own.map(({ value }) => value) : [record[field.trim()]];
	const values = found.flatMap(partsOf).filter((value) => textOf(value) !== '');
	return { values, zone: isAnswer ? zone : 'utc' };
}

/** A list meets what one of its entries meets; `isNot` and `isEmpty` are about all of them. */
function isTrue(
	{ operator, value: wanted }: Condition,
	{ values, zone: own }: Values,
	zone: string,
): boolean {
	switch (operator) {
		case 'is':
			return values.some((value) => isEqual(value, wanted));
		case 'isNot':
			return !values.some((value) => isEqual(value, wanted));
		case 'contains':
			return values.some((value) => textOf(value).includes(normal(wanted)));
		case 'isEmpty':
			return values.length === 0;
		case 'greater':
			return values.some((value) => numberOf(value) > numberOf(wanted));
		case 'less':
			return values.some((value) => numberOf(value) < numberOf(wanted));
		case 'before':
			return values.some((value) => timeOf(value, own) < timeOf(wanted, zone));
		case 'after':
			return values.some((value) => timeOf(value, own) > timeOf(wanted, zone));
	}
}

/** By their texts, without regard to case; a number also by its value, and yes or no however written. */
function isEqual(value: unknown, wanted: string): boolean {
	const text = normal(wanted);
	if (textOf(value) === text) return true;
	if (typeof value === 'number') return value === numberOf(text);
	if (typeof value !== 'boolean') return false;
	return value ? saysYes(text) : saysNo(text);
}

function normal(text: string): string {
	return text.trim().toLowerCase();
}

function textOf(value: unknown): string {
	return value === undefined || value === null ? '' : normal(String(value));
}

/** A number, also as text and with a decimal comma; NaN, which nothing is greater or less than, if it is none. */
export function numberOf(value: unknown): number {
	if (typeof value === 'number') return value;
	const text = String(value).trim();
	if (/^[+-]?\d+,\d+$/.test(text)) return Number(text.replace(',', '.'));
	return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
}

/** Seconds or milliseconds since 1970 of the time since 2001: smaller numbers are no times. */
const LEAST_EPOCH = 1e9;

/**
 * A date or time in epoch milliseconds; NaN if it is none. Only ISO 8601, as SQL writes it too, and
 * numbers: JavaScript reads a date into "Room 5" as well.
 *
 * @param zone that of a time which does not say it
 */
export function timeOf(value: unknown, zone: string): number {
	const number = numberOf(value);
	if (number >= LEAST_EPOCH) return toEpochMs(number);
	const text = String(value).trim();
	if (!/^\d{4}-\d\d(-\d\d)?([T ]|$)/.test(text)) return NaN;
	const time = DateTime.fromISO(text, { zone });
	return (time.isValid ? time : DateTime.fromSQL(text, { zone })).toMillis();
}
