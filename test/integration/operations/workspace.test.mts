import { describe, expect, it } from 'vitest';
import { running } from './running.mts';

const { service, n8n } = await running();

describe('Workspace: Get', () => {
	const get = { resource: 'workspace', operation: 'get' };
	const secretsOf = (stored: string) =>
		stored.match(/secret[^"]*"|hooks\.slack|api\/webhooks/g) ?? [];

	it('gives the workspace without anything secret', async () => {
		const { items, run } = await n8n.runNode(get);
		expect(items).toHaveLength(1);
		expect(items[0].pairedItem).toEqual({ item: 0 });
		expect(items[0].json).toMatchObject({
			name: 'Demo Workspace',
			owner: { email: expect.any(String) },
		});
		expect(secretsOf(JSON.stringify(run))).toEqual([]);
	});

	it('gives at most ten attributes, or all of them', async () => {
		const simplified = (await n8n.runNode(get)).items[0].json;
		expect(Object.keys(simplified)).toHaveLength(10);
		expect(simplified.owner).toEqual({ name: expect.any(String), email: expect.any(String) });
		const raw = (await n8n.runNode({ ...get, simplify: false })).items[0].json;
		expect(Object.keys(raw).length).toBeGreaterThan(10);
		expect(raw).toMatchObject(simplified);
	});

	it('gives no secrets with simplified output', async () => {
		const { run } = await n8n.runNode({ ...get, includeSecrets: true });
		expect(secretsOf(JSON.stringify(run))).toEqual([]);
	});

	it('gives the secrets when asked for them', async () => {
		const { items } = await n8n.runNode({ ...get, simplify: false, includeSecrets: true });
		expect(items[0].json).toMatchObject({
			webhook_secret: 'demo-webhook-secret-3f9d1c',
			slack_webhook_url: expect.stringContaining('slack'),
			discord_webhook_url: expect.stringContaining('discord'),
		});
	});

	it('asks once for all items of a run', async () => {
		const { items } = await n8n.runNode(get, [{ json: {} }, { json: {} }, { json: {} }]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
		expect(service.requests).toHaveLength(1);
	});
});
