import { expect, it } from 'vitest';
import { getComparableId, getId, removeSecrets } from '../../../nodes/FormService/api/records.ts';

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

it.each([
	[{ uuid: '9B1F2C3D-4E5F-4A6B-8C7D-0E1F2A3B4C5D' }, '9b1f2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d'],
	// other IDs differ by case
	[{ id: 'aB3xY9' }, 'aB3xY9'],
	[{}, undefined],
])('%j is compared as %j', (record, identity) => {
	expect(getComparableId(record)).toBe(identity);
});

it('Secrets are left out at any depth, by the names of attributes', () => {
	const names = [
		...['webhook_secret', 'slack_webhook_url', 'discord_webhook_url', 'accessToken'],
		...['api-key', 'API Key', 'password', 'secret'],
	];
	const secrets = Object.fromEntries(names.map((name) => [name, 'x']));
	const kept = {
		...{ id: 'a', secretary: 's', token_count: 1, service_keyword: 'k', webhook_events: 'e' },
		...{ custom_key: 'b', webhook_sent: true },
	};
	const record = { ...kept, ...secrets, list: [{ ...secrets, ...kept }], answers: secrets };
	expect(removeSecrets(record, ['answers'])).toEqual({ ...kept, list: [kept], answers: secrets });
});
