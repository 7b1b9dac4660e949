import { expect, it } from 'vitest';
import { getId } from '../../../nodes/FormService/api/records.ts';

it.each([
	[{ uuid: 'A', id: 1 }, 'A'],
	[{ id: 7 }, '7'],
	[{ uuid: '', id: 'b' }, 'b'],
	[{ id: Number.MAX_SAFE_INTEGER }, '9007199254740991'],
])('the identity of %j is %j, as it is written', (record, identity) => {
	expect(getId(record)).toBe(identity);
});

// JSON.parse has rounded such a number, so that two records would have one
it.each([{}, { uuid: null }, { id: 2 ** 53 }, { id: NaN }])('%j has no identity', (record) => {
	expect(getId(record)).toBeUndefined();
});
