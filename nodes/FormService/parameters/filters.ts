import type { INodeProperties } from 'n8n-workflow';
import { OPERATORS } from '../api/answers/conditions';
import type { Condition, Conditions, Operator } from '../api/answers/conditions';
import type { Wanted } from '../api/answers/findResponses';
import { readNumber, readTime } from '../api/readers';
import { isRecord } from '../api/records';
import { describeChoices, invalid, readChoice, readText } from './input';
import type { Input } from './input';
import { toOptions } from './properties';

/** The name of the parameter, as errors speak of it. */
const MATCH = 'Conditions: All or Any';

const MATCHES = { all: 'All Conditions', any: 'Any Condition' };

const SORTS = { newest: 'Newest First', oldest: 'Oldest First', listed: 'As Listed' };

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
						loadOptionsDependsOn: ['formId.value', 'events', 'watch', 'formIds', 'exceptFormIds'],
					},
					description:
						'The question of the form, or the attribute of the response, to compare. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
				},
				{
					displayName: 'Operator',
					name: 'operator',
					type: 'options',
					default: 'is',
					options: toOptions(OPERATORS),
				},
				{
					displayName: 'Value',
					name: 'value',
					type: 'string',
					default: '',
					description:
						'Value to compare with. Enter a date as 2026-01-31, with or without a time, and a number as 1234.5.',
					displayOptions: { hide: { operator: ['isEmpty', 'isNotEmpty'] } },
				},
			],
		},
	],
};

const match: INodeProperties = {
	displayName: MATCH,
	name: 'match',
	type: 'options',
	default: 'all',
	description: 'Whether a response must meet all conditions or any of them',
	options: toOptions(MATCHES),
};

/**
 * The entries of a Filters collection that are about conditions. n8n's own `filter` type cannot read a
 * response in a trigger, which has no item yet. Match is always shown: at run time, n8n drops a parameter
 * whose display condition points into a collection.
 */
export const conditionFilters: INodeProperties[] = [conditions, match];

/** The filters and the order of a list of responses. The node applies both by itself. */
export const filterParameters: INodeProperties[] = [
	{
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add Filter',
		default: {},
		options: [
			{
				displayName: 'Answers Contain',
				name: 'text',
				type: 'string',
				default: '',
				placeholder: 'e.g. delivery',
				description: 'Return only responses that contain this text in any answer',
			},
			...conditionFilters,
			...['After', 'Before'].map(
				(word): INodeProperties => ({
					displayName: `Submitted ${word}`,
					name: word.toLowerCase(),
					type: 'dateTime',
					default: '',
					description: `Return only responses submitted ${word.toLowerCase()} this time, in the time zone of the workflow`,
				}),
			),
		],
	},
	{
		displayName: 'Sort',
		name: 'sort',
		type: 'options',
		default: 'newest',
		description: "Order of the responses. 'Limit' is applied after filtering and sorting.",
		options: toOptions(SORTS),
	},
];

/** @throws NodeOperationError that names the filter and what it must be */
export function readWanted(input: Input): Wanted {
	const text = readText(input, 'filters.text', 'Answers Contain').trim();
	return {
		after: toTime(input, input.parameter('filters.after', ''), 'Submitted After'),
		before: toTime(input, input.parameter('filters.before', ''), 'Submitted Before'),
		text: text === '' ? undefined : text,
		conditions: readConditions(input),
		sort: readChoice(input, 'sort', 'Sort', SORTS),
	};
}

/** A time as the editor, which knows no zones, or an expression gives it, in epoch milliseconds. */
export function toTime(input: Input, value: unknown, displayName: string): number | undefined {
	if (value === undefined || value === null || value === '') return undefined;
	const time = readTime(value, input.zone);
	if (time !== undefined) return time;
	throw invalid(input, `'${displayName}' must be a date, such as 2026-01-31 or 2026-01-31T08:00`);
}

/** @throws NodeOperationError that names the condition and what it must be */
export function readConditions(input: Input): Conditions {
	const match = readChoice(input, 'filters.match', MATCH, MATCHES);
	const collection = input.parameter('filters.conditions', { conditions: [] });
	const given = isRecord(collection) ? collection.conditions : collection;
	if (!Array.isArray(given)) {
		// n8n makes an empty object of conditions that are given as text or as a bare list
		const advice = "Add a condition, or remove 'Conditions' from the filters.";
		throw invalid(input, "'Conditions' is empty", advice);
	}
	const conditions = given.map((entry: unknown, index) => readCondition(input, index + 1, entry));
	return { zone: input.zone, match, conditions };
}

function readCondition(input: Input, number: number, entry: unknown): Condition {
	const given = isRecord(entry) ? entry : {};
	const [field, value] = [toConditionText(given.field), toConditionText(given.value)];
	const { operator = 'is' } = given;
	const problem =
		field === ''
			? "has no field: choose one in 'Field Name or ID'"
			: isOperator(operator)
				? checkValue(operator, value, input.zone)
				: `must have one of the operators ${describeChoices(OPERATORS)}`;
	if (isOperator(operator) && problem === undefined) return { field, operator, value };
	throw invalid(input, `Condition ${number} ${problem}`);
}

function isOperator(value: unknown): value is Operator {
	return Object.hasOwn(OPERATORS, String(value));
}

/** The text of a value that an expression may give as a number or a boolean; n8n makes text of times. */
function toConditionText(value: unknown): string {
	return ['string', 'number', 'boolean'].includes(typeof value) ? String(value).trim() : '';
}

/** A comparison that no response could ever meet would hold all of them back without a word. */
function checkValue(operator: Operator, value: string, zone: string): string | undefined {
	switch (operator) {
		case 'isEmpty':
		case 'isNotEmpty':
			return undefined;
		case 'greater':
		case 'less':
			if (readNumber(value) !== undefined) return undefined;
			return 'needs a number to compare with, such as 1234.5, without commas';
		case 'before':
		case 'after':
			return readTime(value, zone) === undefined ? 'needs a date, such as 2026-01-31' : undefined;
		default:
			if (value !== '') return undefined;
			return "needs a value. To find missing answers, choose 'Is Empty'";
	}
}
