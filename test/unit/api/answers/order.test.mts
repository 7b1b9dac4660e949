import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { createdAt, oldestFirst } from '../../../../nodes/FormService/api/answers/order.ts';

const order = (...records: IDataObject[]) =>
	oldestFirst(records.map((record) => ({ record }))).map(({ record }) => record.name);
const at = (name: string, created_at: unknown, number?: unknown) =>
	({ name, created_at, number }) as IDataObject;

describe('Oldest first', () => {
	it('goes by the time', () => {
		const later = at('later', '2026-11-21T10:00:01.000000Z', 1);
		const earlier = at('earlier', '2026-11-21T10:00:00.000000Z', 2);
		expect(order(later, earlier)).toEqual(['earlier', 'later']);
	});

	it('goes by the number where times are equal', () => {
		const time = '2026-11-21T10:00:00.000000Z';
		expect(order(at('b', time, 10), at('a', time, 9))).toEqual(['a', 'b']);
	});

	it('goes by the number where a time is missing or cannot be read', () => {
		expect(order(at('b', undefined, 2), at('a', '2026-11-21T10:00:00Z', 1))).toEqual(['a', 'b']);
		expect(order(at('b', 'yesterday', 2), at('a', 'today', 1))).toEqual(['a', 'b']);
	});

	it('goes by the number of all of them where one has no time', () => {
		const first = at('first', '2026-11-21T10:00:02Z', 1);
		const second = at('second', null, 2);
		const third = at('third', '2026-11-21T10:00:01Z', 3);
		expect(order(third, first, second)).toEqual(['first', 'second', 'third']);
	});

	it.each(['submitted_at', 'createdAt', 'timestamp'])(
		'goes by a time of another name: %s',
		(name) => {
			const later = { name: 'later', [name]: '2026-11-21T10:00:01Z', number: 1 };
			const earlier = { name: 'earlier', [name]: '2026-11-21T10:00:00Z', number: 2 };
			expect(order(later, earlier)).toEqual(['earlier', 'later']);
		},
	);

	it.each([
		['seconds', 1_795_255_201, 1_795_255_200],
		['milliseconds', 1_795_255_200_001, 1_795_255_200_000],
		['text', '1795255201', '1795255200'],
	])('goes by a time that is a number: %s', (_unit, later, earlier) => {
		expect(order(at('later', later, 1), at('earlier', earlier, 2))).toEqual(['earlier', 'later']);
	});

	it('goes by an id that counts up where there is no time and no number', () => {
		expect(order({ name: 'b', id: '10' }, { name: 'a', id: '9' })).toEqual(['a', 'b']);
		expect(order({ name: 'b', id: '9f' }, { name: 'a', id: '10' })).toEqual(['b', 'a']);
	});

	it('goes by the number and not by the time of the last change', () => {
		const edited = { name: 'edited', number: 1, updated_at: '2026-11-21T11:00:00Z' };
		const newer = { name: 'newer', number: 2, updated_at: '2026-11-21T10:00:00Z' };
		expect(order(newer, edited)).toEqual(['edited', 'newer']);
	});

	it('takes a number that is written as text', () => {
		expect(order(at('b', null, '10'), at('a', null, '9'))).toEqual(['a', 'b']);
	});

	it('leaves the order of the listing where nothing tells it', () => {
		expect(order(at('b', null), at('a', null))).toEqual(['b', 'a']);
	});

	it('never loses or doubles a response, and leaves those in order as they are', () => {
		const record = fc.record({
			created_at: fc.constantFrom('2026-11-21T10:00:00Z', '2026-11-21T10:00:01Z', null, 'soon'),
			number: fc.constantFrom(1, 2, '3', null),
		});
		fc.assert(
			fc.property(fc.array(record), (records) => {
				const given = records.map((one) => ({ record: one as IDataObject }));
				const sorted = oldestFirst(given);
				expect(new Set(sorted)).toEqual(new Set(given));
				expect(sorted).toHaveLength(given.length);
				expect(oldestFirst(sorted)).toEqual(sorted);
			}),
		);
	});
});

describe('The time of creation', () => {
	const noon = Date.UTC(2026, 10, 21, 12);

	it.each([
		['with a zone', '2026-11-21T12:00:00.000000Z'],
		['without one, which is UTC', '2026-11-21T12:00:00'],
		['with a space', '2026-11-21 12:00:00'],
		['in seconds', noon / 1000],
		['in milliseconds, as text', String(noon)],
	])('is read %s', (_form, created_at) => {
		expect(createdAt({ created_at })).toBe(noon);
	});

	it.each([undefined, null, '', 'yesterday', true])('cannot be read from %j', (created_at) => {
		expect(createdAt({ created_at } as IDataObject)).toBeUndefined();
	});
});
