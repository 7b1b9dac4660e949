import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { getCreationTime, sortByTime } from '../../../../nodes/FormService/api/answers/order.ts';

const at = (second: number) => `2026-11-21T10:00:0${second}.000000Z`;

const order = (records: IDataObject[], first: 'newest' | 'oldest') => {
	const entries = records.map((record, index) => ({ record, index }));
	return sortByTime(entries, first).map(({ index }) => index);
};

it.each<[string, IDataObject, IDataObject]>([
	['the time', { created_at: at(1), number: 1 }, { created_at: at(0), number: 2 }],
	['submitted_at', { submitted_at: at(1), created_at: at(0) }, { created_at: at(0), number: 2 }],
	[
		'completed_at before created_at',
		{ completed_at: at(2), created_at: at(0) },
		{ completed_at: at(1), created_at: at(1) },
	],
	['the number', { created_at: at(0), number: 10 }, { created_at: at(0), number: '9' }],
	['the order of the listing', { id: '10' }, { id: '9' }],
])('Responses are sorted by %s, and those without a time come last', (by, later, earlier) => {
	const isListed = by === 'the order of the listing';
	const none = { created_at: 'soon' };
	expect(order([none, later, earlier], 'oldest')).toEqual(isListed ? [0, 1, 2] : [2, 1, 0]);
	expect(order([none, later, earlier], 'newest')).toEqual(isListed ? [0, 1, 2] : [1, 2, 0]);
});

it('A time of the service without a zone is in UTC', () => {
	const noon = Date.UTC(2026, 10, 21, 12);
	expect(getCreationTime({ created_at: '2026-11-21 12:00:00' })).toBe(noon);
});
