import { expect, it } from 'vitest';
import {
	identitiesOf,
	identityOf,
	saysNo,
	saysYes,
} from '../../../nodes/FormService/api/records.ts';

it.each([
	[{ uuid: 'a', id: 1 }, 'a'],
	[{ id: 7 }, '7'],
	[{ uuid: '', id: 'b' }, 'b'],
	[{ id: Number.MAX_SAFE_INTEGER }, '9007199254740991'],
])('the identity of %j is %j', (record, identity) => {
	expect(identityOf(record)).toBe(identity);
});

// JSON.parse has rounded such a number, so that two records would have one
it.each([{}, { uuid: null }, { id: 2 ** 53 }, { id: NaN }])('%j has no identity', (record) => {
	expect(identityOf(record)).toBeUndefined();
});

it.each([true, 1, '1', 'true', 'TRUE'])('%j means yes', (value) => {
	expect([saysYes(value), saysNo(value)]).toEqual([true, false]);
});

it.each([false, 0, '0', 'false', 'False'])('%j means no', (value) => {
	expect([saysYes(value), saysNo(value)]).toEqual([false, true]);
});

it.each([undefined, null, '', 2, 'yes', 'no', {}, [1]])('%j means neither', (value) => {
	expect([saysYes(value), saysNo(value)]).toEqual([false, false]);
});

const uuid = '0A1B2C3D-0000-4000-8000-00000000000F';

it('a record is the same in whatever case its UUID stands, and by its ID too', () => {
	expect(identityOf({ uuid })).toBe(identityOf({ uuid: uuid.toLowerCase() }));
	expect(identitiesOf({ uuid, id: 7 })).toEqual([uuid.toLowerCase(), '7']);
	expect(identitiesOf({ uuid, id: uuid.toLowerCase() })).toEqual([uuid.toLowerCase()]);
});

it('the case of an ID that is no UUID tells records apart', () => {
	expect(identityOf({ id: 'aB3xY9' })).not.toBe(identityOf({ id: 'ab3xy9' }));
});
