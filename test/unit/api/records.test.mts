import { expect, it } from 'vitest';
import { removeSecrets } from '../../../nodes/FormService/api/records.ts';

it('Secrets are left out at any depth, by the names of attributes, and nothing else', () => {
	const names = [
		...['webhook_secret', 'slackWebhookUrl', 'discord_webhook_url', 'accessToken'],
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
