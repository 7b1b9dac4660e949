import { describe, expect, it } from 'vitest';
import { demoForms, slow } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { AT_ONCE, createWorld, pathsOf, running, until } from '../world.mts';
import { addTo } from './adding.mts';

const { service, n8n } = await running();

const formId = locator(demoForms.contact);
const listForms = { resource: 'form', operation: 'getAll', returnAll: true };
const listFields = { resource: 'field', operation: 'getAll', formId };
const listResponses = { resource: 'response', operation: 'getAll', formId };
const FORMS = Object.keys(demoForms).length;

describe('executions that read a list at the same moment', () => {
	it.each([
		['forms', listForms],
		['fields', listFields],
		['responses', listResponses],
	])('share one request, and each has its own records: %s', async (_what, list) => {
		service.faults.set({ fault: slow(100) });
		const [one, other] = await Promise.all([n8n.runNode(list), n8n.runNode(list)]);
		expect(one.items.length).toBeGreaterThan(1);
		expect(other.items).toEqual(one.items);
		expect(service.requests).toHaveLength(1);
		one.items[0].json.changed = true;
		expect(other.items[0].json).not.toHaveProperty('changed');
	});

	it('have each their own error, without the parameters of another node', async () => {
		service.faults.set({ fault: 'forbidden' });
		const limited = { ...listForms, returnAll: false, limit: 7 };
		const runs = await Promise.all([n8n.runNode(listForms), n8n.runNode(limited)]);
		expect(service.requests).toHaveLength(1);
		const [one, other] = runs.map(({ error }) => error!);
		expect(one.node).toMatchObject({ parameters: listForms });
		expect(other.node).toMatchObject({ parameters: limited });
		const { message, description, httpCode, failure } = one;
		expect(other).toMatchObject({ message, description, httpCode, failure });
		expect([message, description, httpCode, failure]).not.toContain(undefined);
	});

	it.each([
		['responses', { status: 'complete' }],
		['numbers of records', { limit: 1, sort: 'listed' }],
		['certificate checks', { requestOptions: { allowUnauthorizedCerts: true } }],
		['timeouts', { requestOptions: { timeout: 12_000 } }],
	])('share nothing if they want different %s', async (_what, more) => {
		service.faults.set({ fault: slow(100) });
		const different = { ...listResponses, ...more };
		await Promise.all([n8n.runNode(listResponses), n8n.runNode(different)]);
		expect(service.requests).toHaveLength(2);
	});

	it('send the request once more, for all, if the first is canceled', async () => {
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

it('An execution does not share a list that was requested before a response was added', async () => {
	const { service, n8n } = await createWorld(AT_ONCE);
	service.faults.set({ match: { path: /^\/responses/ }, fault: slow(2_000) });
	const list = { ...listResponses, returnAll: true };
	const early = n8n.runNode(list);
	await until(service.requests, 1);
	const [{ uuid }] = service.store.fields(demoForms.contact);
	await n8n.runNode(addTo(demoForms.contact), [{ json: { [uuid]: 'Ada' } }]);
	const { items } = await n8n.runNode(list);
	expect(items).toHaveLength((await early).items.length + 1);
});
