import { describe, expect, it } from 'vitest';
import { demoForms, slow } from '../../service/index.mts';
import { itemsOf, locator, n8nFor } from '../harness.mts';
import { AT_ONCE, withWorld } from '../world.mts';
import { pathsOf, until } from './watch.mts';

const listForms = { resource: 'form', operation: 'getAll', returnAll: true };
const FORMS = Object.keys(demoForms).length;

const formId = locator(demoForms.contact);
const getAll = { resource: 'response', operation: 'getAll', formId };

describe('a list that several want at the same moment', () => {
	it.each([
		['forms', listForms],
		['fields', { resource: 'field', operation: 'getAll', formId }],
		['responses', getAll],
	])('costs two executions one request, and each has its own records: %s', async (_what, list) => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: slow(100) });
			const [one, other] = await Promise.all([n8n.runNode(list), n8n.runNode(list)]);
			expect(one.items.length).toBeGreaterThan(1);
			expect(other.items).toEqual(one.items);
			expect(service.requests).toHaveLength(1);
			one.items[0].json.changed = true;
			expect(other.items[0].json).not.toHaveProperty('changed');
		});
	});

	it('gives each execution its own error: none sees the parameters of another node', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: 'forbidden' });
			const [one, other] = await Promise.all([
				n8n.runNode(listForms),
				n8n.runNode({ ...listForms, returnAll: false, limit: 7 }),
			]);
			expect(service.requests).toHaveLength(1);
			expect(one.error).toMatchObject({ node: { parameters: { returnAll: true } } });
			expect(other.error).toMatchObject({ node: { parameters: { limit: 7 } } });
			expect(other.error?.message).toBe(one.error?.message);
		});
	});

	it.each([
		['other responses', { status: 'complete' }],
		['another certificate check', { requestOptions: { allowUnauthorizedCerts: true } }],
		['another timeout', { requestOptions: { timeout: 12_000 } }],
	])('is not shared by executions that want %s', async (_what, more) => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: slow(100) });
			await Promise.all([n8n.runNode(getAll), n8n.runNode({ ...getAll, ...more })]);
			expect(service.requests).toHaveLength(2);
		});
	});

	it('is not shared with another account', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.store.addAccount({ name: 'Another', tokens: ['another-token'] });
			const other = n8nFor({ accessToken: 'another-token', baseUrl: service.url });
			const [own, others] = await Promise.all([n8n.runNode(listForms), other.runNode(listForms)]);
			expect(own.items.length).toBeGreaterThan(0);
			expect(others.items).toEqual([]);
		});
	});

	it('is never one that was asked for before a response was added', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ match: { method: 'GET' }, fault: slow(400) });
			const list = { ...getAll, returnAll: true };
			const early = n8n.runNode(list);
			await until(service.requests, 1);
			const [{ uuid: field }] = service.store.fields(demoForms.contact);
			const create = { resource: 'response', operation: 'create', formId, inputMode: 'json' };
			await n8n.runNode({ ...create, answersJson: JSON.stringify({ [field]: 'Ada' }) });
			const { items } = await n8n.runNode(list);
			expect(items).toHaveLength((await early).items.length + 1);
		}, AT_ONCE);
	});

	it('is asked for once more, by one of the others, when the first is cancelled', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: slow(100) });
			const first = n8n.startNode(listForms);
			await until(service.requests, 1);
			const others = [n8n.runNode(listForms), n8n.runNode(listForms)];
			await new Promise(setImmediate);
			first.cancel();
			const runs = await Promise.all(others);
			expect(runs.map(({ items }) => items.length)).toEqual([FORMS, FORMS]);
			expect(pathsOf(service.requests)).toEqual(['/forms', '/forms']);
		});
	});

	it('is fetched anew by an execution that starts later', async () => {
		await withWorld(async ({ service, n8n }) => {
			await n8n.runNode(listForms);
			service.store.addForm({ name: 'Added in between' });
			const { items } = await n8n.runNode(listForms);
			expect(items).toHaveLength(FORMS + 1);
			expect(service.requests).toHaveLength(2);
		});
	});

	it('costs 50 items of one form that each want one response one request', async () => {
		await withWorld(async ({ service, n8n }) => {
			const uuids = Array.from(
				{ length: 50 },
				() => service.store.addResponse(demoForms.contact, {}).uuid,
			);
			const get = { ...getAll, operation: 'get', responseId: '={{ $json.uuid }}' };
			const { items } = await n8n.runNode(get, itemsOf(...uuids.map((uuid) => ({ uuid }))));
			expect(items.map(({ json }) => json.uuid)).toEqual(uuids);
			expect(pathsOf(service.requests)).toEqual([`/responses/${demoForms.contact}`]);
		});
	});
});
