import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { answer } from '../../service/index.mts';
import { faultCases } from '../faults/faultCases.mts';
import { withWorld } from '../world.mts';

const get = { resource: 'workspace', operation: 'get' };

/** The secrets of the stand-in's workspace. */
const secrets = [
	'demo-webhook-secret-3f9d1c',
	'demo-slack-secret-77ab',
	'demo-discord-secret-c41e',
];

const found = (value: unknown) => {
	const text = JSON.stringify(value) + inspect(value, { depth: Infinity, showHidden: true });
	return secrets.filter((secret) => text.includes(secret));
};

describe('the secrets of the workspace', () => {
	it('are not in what n8n stores of a run, unless they are asked for', async () => {
		await withWorld(async ({ n8n }) => {
			expect(found(await n8n.runNode(get))).toEqual([]);
			expect(found(await n8n.runNode({ ...get, simplify: false, includeSecrets: true }))).toEqual(
				secrets,
			);
		});
	});

	it('are not in what the credential test says', async () => {
		await withWorld(async ({ n8n }) => {
			const tested = await n8n.testCredential();
			expect(tested.status).toBe('OK');
			expect(found(tested)).toEqual([]);
		});
	});

	it.each(
		faultCases
			.filter(({ sent }) => sent.safe === 1)
			.map(({ name, fault }) => [name, fault] as const),
	)('are not in an error: %s', async (_name, fault) => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault });
			const { run, error } = await n8n.runNode(get);
			expect(error).toBeDefined();
			expect(found([run, error])).toEqual([]);
		});
	});

	it('are not in an error about a workspace that does not look like one', async () => {
		await withWorld(async ({ service, n8n }) => {
			const data = { title: 'Demo', webhook_secret: secrets[0], hooks: secrets };
			const body = JSON.stringify({ success: true, data });
			for (const text of [body, body.slice(0, -2), JSON.stringify([data])]) {
				service.faults.set({ fault: answer(200, 'application/json', text) });
				const { run, error } = await n8n.runNode(get);
				expect(error).toBeDefined();
				expect(found([run, error])).toEqual([]);
			}
		});
	});

	it('are left out under whatever nesting and spelling of their names', async () => {
		await withWorld(async ({ service, n8n }) => {
			const [secret] = secrets;
			const data = {
				name: 'Demo',
				settings: { webhookSecret: secret, api_token: secret, list: [{ password: secret }] },
				teams_webhook_url: `https://chat.example/${secret}`,
				webhookUrl: `https://chat.example/${secret}`,
				kept: 'kept',
			};
			const body = JSON.stringify({ success: true, data });
			service.faults.set({ fault: answer(200, 'application/json', body) });
			const { items, run } = await n8n.runNode({ ...get, simplify: false });
			expect(items[0].json).toMatchObject({ name: 'Demo', kept: 'kept' });
			expect(found(run)).toEqual([]);
		});
	});
});
