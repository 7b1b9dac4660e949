import { expect, it } from 'vitest';
import { getIdentities, getIdentity } from '../../../nodes/FormService/api/records.ts';

it.each([
	[{ uuid: 'a', id: 1 }, 'a'],
	[{ id: 7 }, '7'],
	[{ uuid: '', id: 'b' }, 'b'],
	[{ id: Number.MAX_SAFE_INTEGER }, '9007199254740991'],
])('the identity of %j is %j', (record, identity) => {
	expect(getIdentity(record)).toBe(identity);
});

// JSON.parse has rounded such a number, so that two records would have one
it.each([{}, { uuid: null }, { id: 2 ** 53 }, { id: NaN }])('%j has no identity', (record) => {
	expect(getIdentity(record)).toBeUndefined();
});

const uuid = '0A1B2C3D-0000-4000-8000-00000000000F';

it('a record is the same in whatever case its UUID stands, and by its ID too', () => {
	expect(getIdentity({ uuid })).toBe(getIdentity({ uuid: uuid.toLowerCase() }));
	expect(getIdentities({ uuid, id: 7 })).toEqual([uuid.toLowerCase(), '7']);
	expect(getIdentities({ uuid, id: uuid.toLowerCase() })).toEqual([uuid.toLowerCase()]);
});

it('the case of an ID that is no UUID tells records apart', () => {
	expect(getIdentity({ id: 'aB3xY9' })).not.toBe(getIdentity({ id: 'ab3xy9' }));
});
