import { DateTime } from 'luxon';
import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod';
import { operators } from '../api/answers/conditions';
import type { Condition, Conditions, Operator } from '../api/answers/conditions';
import { readNumber, readTime } from '../api/readers';
import { isRecord } from '../api/records';
import type { Input } from './input';
import { invalid } from './input';

const names: Record<Operator, string> = {
	after: 'After',
	before: 'Before',
	contains: 'Contains',
	greater: 'Greater Than',
	is: 'Is',
	isEmpty: 'Is Empty',
	isNot: 'Is Not',
	isNotEmpty: 'Is Not Empty',
	less: 'Less Than',
};

/** Operators without a value to compare with. */
const withoutValue: readonly Operator[] = ['isEmpty', 'isNotEmpty'];

const conditions: INodeProperties = {
	displayName: 'Conditions',
	name: 'conditions',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Condition',
	default: {},
	description: 'Conditions on the answers and attributes of a response',
	options: [
		{
			displayName: 'Condition',
			name: 'conditions',
			values: [
				{
					displayName: 'Field Name or ID',
					name: 'field',
					type: 'options',
					default: '',
					typeOptions: {
						loadOptionsMethod: 'getConditionFields',
						loadOptionsDependsOn: ['formId.value'],
					},
					description:
						'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
					hint: 'An expression can also give a label, such as {{ "Email" }}, or a custom key',
				},
				{
					displayName: 'Operator',
					name: 'operator',
					type: 'options',
					default: 'is',
					options: operators.map((value) => ({ name: names[value], value })),
				},
				{
					displayName: 'Value',
					name: 'value',
					type: 'string',
					default: '',
					description: 'What to compare with. Enter dates as 2026-01-31, or with a time.',
					displayOptions: { hide: { operator: [...withoutValue] } },
				},
			],
		},
	],
};

const match: INodeProperties = {
	displayName: 'Match',
	name: 'match',
	type: 'options',
	default: 'all',
	description: 'Which of the conditions a response has to meet',
	options: [
		{ name: 'All Conditions', value: 'all' },
		{ name: 'Any Condition', value: 'any' },
	],
};

/**
 * The entries of a Filters collection that are about conditions. n8n's own `filter` type cannot read a
 * response in a trigger, which has no item yet. Match is always shown: at run time, n8n drops a parameter
 * whose display condition points into a collection.
 */
export const conditionFilters: INodeProperties[] = [conditions, match];

const filtersSchema = z.object({
	conditions: z.object({ conditions: z.array(z.unknown()) }).nullish(),
	match: z.enum(['all', 'any']).nullish(),
});

const EMPTY = "'Conditions' has no condition";

/**
 * Reads the conditions in the parameter `filters`.
 *
 * @throws NodeOperationError that names the condition and what it must be
 */
export function readConditions(input: Input): Conditions {
	const read = filtersSchema.safeParse(readFilters(input));
	if (!read.success) {
		const [where] = read.error.issues[0].path;
		if (where === 'match') throw invalid(input, "'Match' must be one of all, any");
		// n8n makes an empty object of conditions that are given as text or as a bare list
		throw invalid(input, EMPTY, "Add a condition, or remove 'Conditions' from the filters.");
	}
	const { conditions: given, match: matched } = read.data;
	return {
		zone: input.zone,
		match: matched ?? 'all',
		conditions: (given?.conditions ?? []).map((entry, index) =>
			readCondition(input, `Condition ${index + 1}`, entry),
		),
	};
}

/** @throws NodeOperationError if the parameter `filters` is no object */
export function readFilters(input: Input): Record<string, unknown> {
	const filters = input.parameter<unknown>('filters', {}) ?? {};
	if (isRecord(filters)) return filters;
	throw invalid(input, "'Filters' must be an object");
}

const conditionSchema = z.object({
	field: z.union([z.string(), z.number()]).transform(String).pipe(z.string().trim().min(1)),
	operator: z.enum(operators).default('is'),
	value: z.union([
		z.string(),
		z.number(),
		z.boolean(),
		z.null(),
		z.undefined(),
		z.date(),
		z.custom<DateTime>((value) => DateTime.isDateTime(value)),
	]),
});

const problems: Record<string, string> = {
	field: "has no field: choose one in 'Field Name or ID'",
	operator: `must have one of the operators ${operators.join(', ')}`,
	value: 'must have a text, a number, a boolean or a date as its value',
};

function readCondition(input: Input, name: string, entry: unknown): Condition {
	const read = conditionSchema.safeParse(entry);
	if (!read.success) {
		const [where] = read.error.issues[0].path;
		throw invalid(input, `${name} ${problems[String(where)] ?? 'is not a condition'}`);
	}
	const { field, operator, value } = read.data;
	const text = textOf(value);
	const problem = problemOf(operator, text, input.zone);
	if (problem !== undefined) throw invalid(input, `${name} ${problem}`);
	return { field, operator, value: text };
}

function textOf(value: z.infer<typeof conditionSchema>['value']): string {
	if (value === null || value === undefined) return '';
	if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString();
	return DateTime.isDateTime(value) ? (value.toISO() ?? '') : String(value);
}

/** A comparison that no response could ever meet would hold all of them back without a word. */
function problemOf(operator: Operator, value: string, zone: string): string | undefined {
	switch (operator) {
		case 'isEmpty':
		case 'isNotEmpty':
			return undefined;
		case 'greater':
		case 'less':
			return readNumber(value) === undefined ? 'needs a number to compare with' : undefined;
		case 'before':
		case 'after':
			return readTime(value, zone) === undefined ? 'needs a date, such as 2026-01-31' : undefined;
		default:
			return value.trim() === '' ? "needs a value; for none, choose 'Is Empty'" : undefined;
	}
}
