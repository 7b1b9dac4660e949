import type { INodeProperties } from 'n8n-workflow';
import { numberOf, operators, timeOf } from '../api/answers/conditions';
import type { Condition, Conditions, Operator } from '../api/answers/conditions';
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
	less: 'Less Than',
};

/**
 * Conditions on the answers and attributes of a response. n8n's own `filter` type cannot read a
 * response in a trigger, which has no item yet.
 */
export function conditionsParameter(name: string, displayName: string): INodeProperties {
	return {
		displayName,
		name,
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
						displayName: 'Field',
						name: 'field',
						type: 'string',
						default: '',
						placeholder: 'e.g. Email',
						description:
							"The label, UUID or custom key of a field, or an attribute of the response such as 'number'",
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
						displayOptions: { hide: { operator: ['isEmpty'] } },
					},
				],
			},
		],
	};
}

/**
 * Whether all conditions must be met or any; shown once there are some.
 *
 * @param conditionsPath the parameter above it, such as `/onlyWhen`
 */
export function matchParameter(conditionsPath: string): INodeProperties {
	return {
		displayName: 'Match',
		name: 'match',
		type: 'options',
		default: 'all',
		description: 'Which of the conditions a response has to meet',
		options: [
			{ name: 'All Conditions', value: 'all' },
			{ name: 'Any Condition', value: 'any' },
		],
		displayOptions: { show: { [`${conditionsPath}.conditions`]: [{ _cnd: { exists: true } }] } },
	};
}

/**
 * Reads what these two parameters hold.
 *
 * @param given the value of the conditions' parameter
 * @param match the value of Match
 * @throws NodeOperationError that names the condition and what it must be
 */
export function readConditions(
	input: Input,
	displayName: string,
	given: unknown,
	match: unknown,
): Conditions {
	const entries: unknown = isRecord(given) ? (given.conditions ?? []) : given;
	const list: unknown[] = Array.isArray(entries) ? entries : [];
	return {
		zone: input.zone,
		match: match === 'any' ? 'any' : 'all',
		conditions: list.map((entry, index) =>
			readCondition(input, `Condition ${index + 1} of '${displayName}'`, entry),
		),
	};
}

function readCondition(input: Input, name: string, entry: unknown): Condition {
	const { field = '', operator = 'is', value = '' } = isRecord(entry) ? entry : {};
	if (typeof field !== 'string' || field.trim() === '')
		throw invalid(input, `${name} has no field`);
	const known = operators.find((one) => one === operator);
	if (known === undefined) {
		throw invalid(input, `${name} must have one of the operators ${operators.join(', ')}`);
	}
	const text = value === null || isRecord(value) || Array.isArray(value) ? '' : String(value);
	const problem = problemOf(known, text, input.zone);
	if (problem !== undefined) throw invalid(input, `${name} ${problem}`);
	return { field, operator: known, value: text };
}

/** A comparison that no response could ever meet would hold all of them back without a word. */
function problemOf(operator: Operator, value: string, zone: string): string | undefined {
	switch (operator) {
		case 'isEmpty':
			return undefined;
		case 'greater':
		case 'less':
			return Number.isNaN(numberOf(value)) ? 'needs a number to compare with' : undefined;
		case 'before':
		case 'after':
			return Number.isNaN(timeOf(value, zone)) ? 'needs a date, such as 2026-01-31' : undefined;
		default:
			return value.trim() === '' ? "needs a value; for none, choose 'Is Empty'" : undefined;
	}
}
