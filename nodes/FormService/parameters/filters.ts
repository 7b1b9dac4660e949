import { DateTime } from 'luxon';
import type { INodeProperties } from 'n8n-workflow';
import { meets, timeOf } from '../api/answers/conditions';
import type { Wanted } from '../api/answers/find';
import { isRecord } from '../api/records';
import { conditionsParameter, matchParameter, readConditions } from './conditions';
import { invalid, readChoice, toText } from './input';
import type { Input } from './input';

/** Which responses of a list are wanted, and in which order. All of it is done here, with no further request. */
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
				description: 'Only responses with this text in any answer',
			},
			conditionsParameter('conditions', 'Conditions'),
			// within a collection, n8n does not look at what else is in it
			{ ...matchParameter(''), displayOptions: undefined },
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
		],
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
 * Reads and checks them.
 *
 * @throws NodeOperationError that names the filter and what it must be
 */
export function readWanted(input: Input): Wanted {
	const given = input.parameter<unknown>('filters', {});
	const { after, before, text: rawText, conditions, match } = isRecord(given) ? given : {};
	const text = toText(input, rawText ?? '', 'Answers Contain').trim();
	const met = readConditions(input, 'Conditions', conditions, match);
	return {
		after: readTime(input, after, 'Submitted After'),
		before: readTime(input, before, 'Submitted Before'),
		text: text === '' ? undefined : text,
		meets: met.conditions.length === 0 ? undefined : (record) => meets(record, met),
		sort: readChoice(input, 'sort', 'Sort', ['newest', 'oldest', 'listed']),
	};
}

/** A time as the editor, which knows no zones, or an expression gives it. */
function readTime(input: Input, value: unknown, displayName: string): number | undefined {
	if (value === undefined || value === null || value === '') return undefined;
	const isTime = DateTime.isDateTime(value) || value instanceof Date;
	const time = isTime ? value.valueOf() : timeOf(value, input.zone);
	if (!Number.isNaN(time)) return time;
	throw invalid(input, `'${displayName}' must be a date, such as 2026-01-31 or 2026-01-31T08:00`);
}
