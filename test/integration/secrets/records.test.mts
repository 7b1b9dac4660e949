import { inspect } from 'node:util';
import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { answer, demoForms } from '../../service/index.mts';
import { locator } from '../harness.mts';
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

const SECRET = 'planted-secret-7f3a';

/** Secrets under several names and at several depths. */
const planted = {
	webhook_secret: SECRET,
	settings: { slackWebhookUrl: SECRET, list: [{ api_token: SECRET, kept: 'kept' }] },
};
const field = { uuid: 'f1', label: 'Password', type: 'text', ...planted };
const form = { id: demoForms.contact, name: 'Contact', fields: [field], ...planted };

const formId = locator(demoForms.contact);
const operations: Record<string, INodeParameters> = {
	'Form: Get': { resource: 'form', operation: 'get', formId, simplify: false },
	'Form: Get Many': { resource: 'form', operation: 'getAll', simplify: false },
	'Field: Get Many': { resource: 'field', operation: 'getAll', formId },
};

describe('Responses as raw records', () => {
	const list = { resource: 'response', operation: 'getAll', formId, simplify: false };
	const answers = { 'Password hint': 'blue', 'API key in use': 'none' };

	it.each([
		['answers', { answers }],
		['data', { data: answers }],
	])(
		'lose their secrets, but no answer, whatever its label is: in %s',
		async (_name, container) => {
			const record = {
				uuid: 'r1',
				created_at: '2026-01-31T10:00:00.000000Z',
				...container,
				...planted,
			};
			await withWorld(async ({ service, n8n }) => {
				const body = JSON.stringify({ success: true, data: [record] });
				service.faults.set({ fault: answer(200, 'application/json', body) });
				const { items, run: execution } = await n8n.runNode(list);
				expect(JSON.stringify(execution)).not.toContain(SECRET);
				expect(items[0].json).toMatchObject({ uuid: 'r1', ...container });
				const all = await n8n.runNode({ ...list, options: { includeSecrets: true } });
				expect(all.items[0].json).toEqual(record);
			});
		},
	);
});

describe.each(Object.entries(operations))('%s of raw records', (_name, parameters) => {
	const run = async (extra: INodeParameters) =>
		await withWorld(async ({ service, n8n }) => {
			const data = parameters.resource === 'field' ? [field] : [form];
			const body = JSON.stringify({ success: true, data });
			service.faults.set({ fault: answer(200, 'application/json', body) });
			return await n8n.runNode({ ...parameters, ...extra });
		});

	it('gives everything but the secrets, at any depth', async () => {
		const { items, run: execution } = await run({});
		expect(JSON.stringify(execution)).not.toContain(SECRET);
		expect(JSON.stringify(items)).toContain('"label":"Password"');
		expect(items[0].json.settings).toEqual({ list: [{ kept: 'kept' }] });
	});

	it('gives the secrets as well with Include Secrets', async () => {
		const { items } = await run({ includeSecrets: true });
		expect(items[0].json).toMatchObject(planted);
	});
});
