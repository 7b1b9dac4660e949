import type { INodeProperties } from 'n8n-workflow';
import type { Wanted } from '../api/answers/find';
import { readTime } from '../api/readers';
import { conditionFilters, readConditions, readFilters } from './conditions';
import { invalid, readChoice, toText } from './input';
import type { Input } from './input';

export { conditionFilters, readConditions } from './conditions';

const filters: INodeProperties[] = [
	{
		displayName: 'Answers Contain',
		name: 'text',
		type: 'string',
		default: '',
		placeholder: 'e.g. delivery',
		description: 'Only responses with this text in any answer',
	},
	...conditionFilters,
	{
		displayName: 'Submitted After',
		name: 'after',
		type: 'dateTime',
		default: '',
		description: 'Only responses submitted after this time, in the time zone of the workflow',
	},
	{
		displayName: 'Submitted Before',
		name: 'before',
		type: 'dateTime',
		default: '',
		description: 'Only responses submitted before this time, in the time zone of the workflow',
	},
];

/** Which responses of a list are wanted, and in which order. All of it is done here, with no further request. */
export const filterParameters: INodeProperties[] = [
	{
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add Filter',
		default: {},
		options: filters,
	},
	{
		displayName: 'Sort',
		name: 'sort',
		type: 'options',
		default: 'newest',
		description: "Order of the responses. 'Limit' applies after filters and order.",
		options: [
			{ name: 'As Listed by the Service', value: 'listed' },
			{ name: 'Newest First', value: 'newest' },
			{ name: 'Oldest First', value: 'oldest' },
		],
	},
];

/**
 * Reads and checks these parameters.
 *
 * @throws NodeOperationError that names the filter and what it must be
 */
export function readWanted(input: Input): Wanted {
	const given = readFilters(input);
	const text = toText(input, given.text ?? '', 'Answers Contain').trim();
	return {
		after: readBound(input, given.after, 'Submitted After'),
		before: readBound(input, given.before, 'Submitted Before'),
		text: text === '' ? undefined : text,
		conditions: readConditions(input),
		sort: readChoice(input, 'sort', 'Sort', ['newest', 'oldest', 'listed']),
	};
}

/** A time as the editor, which knows no zones, or an expression gives it. */
function readBound(input: Input, value: unknown, displayName: string): number | undefined {
	if (value === undefined || value === null || value === '') return undefined;
	const time = readTime(value, input.zone);
	if (time !== undefined) return time;
	throw invalid(input, `'${displayName}' must be a date, such as 2026-01-31 or 2026-01-31T08:00`);
}
