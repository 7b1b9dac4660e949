import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	getCreationTime,
	sortOldestFirst,
} from '../../../../nodes/FormService/api/answers/order.ts';

const at = (second: number) => `2026-11-21T10:00:0${second}.000000Z`;

/** The positions of records in the list, oldest first. */
const order = (...records: IDataObject[]) =>
	sortOldestFirst(records.map((record, index) => ({ record, index }))).map(({ index }) => index);

describe('Oldest first', () => {
	it.each<[string, IDataObject, IDataObject]>([
		['the time', { created_at: at(1), number: 1 }, { created_at: at(0), number: 2 }],
		['submitted_at', { submitted_at: at(1), number: 1 }, { submitted_at: at(0), number: 2 }],
		[
			'completed_at before created_at',
			{ completed_at: at(2), created_at: at(0) },
			{ completed_at: at(1), created_at: at(1) },
		],
		['the number', { created_at: at(0), number: 10 }, { created_at: at(0), number: 9 }],
		['a number as text', { created_at: 'soon', number: '10' }, { created_at: '', number: '9' }],
	])('goes by %s', (_, later, earlier) => {
		expect(order(later, earlier)).toEqual([1, 0]);
	});

	it('leaves the order of the listing where nothing else decides', () => {
		expect(order({ id: '10' }, { id: '9' })).toEqual([0, 1]);
		expect(order({}, { created_at: at(0) })).toEqual([1, 0]);
	});
});

it('A time of the service without a zone is in UTC', () => {
	const noon = Date.UTC(2026, 10, 21, 12);
	expect(getCreationTime({ created_at: '2026-11-21 12:00:00' })).toBe(noon);
	expect(getCreationTime({ created_at: 'yesterday' })).toBeUndefined();
});
