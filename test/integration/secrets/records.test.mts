import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { answer, demoForms } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { withWorld } from '../world.mts';

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
