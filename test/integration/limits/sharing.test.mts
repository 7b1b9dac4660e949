import { describe, expect, it } from 'vitest';
import { demoForms, slow } from '../../service/index.mts';
import { AT_ONCE, withWorld } from '../world.mts';
import { itemsOf, locator } from '../harness.mts';
import { pathsOf, until } from './watch.mts';

const listForms = { resource: 'form', operation: 'getAll', returnAll: true };
const FORMS = Object.keys(demoForms).length;

const formId = locator(demoForms.contact);

describe('a list that several want at the same moment', () => {
	it.each([
		['forms', listForms],
		['fields', { resource: 'field', operation: 'getAll', formId }],
		['responses', { resource: 'response', operation: 'getAll', formId }],
	])('costs two executions one request: %s', async (_what, parameters) => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: slow(100) });
			const [one, other] = await Promise.all([n8n.runNode(parameters), n8n.runNode(parameters)]);
			expect(one.items.length).toBeGreaterThan(1);
			expect(other.items).toEqual(one.items);
			expect(service.requests).toHaveLength(1);
		});
	});

	it('is not shared by executions that want different responses', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: slow(100) });
			const getAll = { resource: 'response', operation: 'getAll', formId };
			await Promise.all([n8n.runNode(getAll), n8n.runNode({ ...getAll, status: 'complete' })]);
			expect(service.requests).toHaveLength(2);
		});
	});

	it('is never one that was asked for before a response was added', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ match: { method: 'GET' }, fault: slow(400) });
			const getAll = { resource: 'response', operation: 'getAll', formId, returnAll: true };
			const early = n8n.runNode(getAll);
			await until(service.requests, 1);
			const [{ uuid: field }] = service.store.fields(demoForms.contact);
			const create = { resource: 'response', operation: 'create', formId, inputMode: 'json' };
			await n8n.runNode({ ...create, answersJson: JSON.stringify({ [field]: 'Ada' }) });
			const { items } = await n8n.runNode(getAll);
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
			const { items } = await n8n.runNode(
				{
					resource: 'response',
					operation: 'get',
					formId: locator(demoForms.contact),
					responseId: '={{ $json.uuid }}',
				},
				itemsOf(...uuids.map((uuid) => ({ uuid }))),
			);
			expect(items.map(({ json }) => json.uuid)).toEqual(uuids);
			expect(pathsOf(service.requests)).toEqual([`/responses/${demoForms.contact}`]);
		});
	});
});
