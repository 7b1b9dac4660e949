import { describe, expect, it } from 'vitest';
import { demoForms } from '../../service/index.mts';
import { itemsOf, locator } from '../harness.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();
const formIds = Object.values(demoForms);

describe('Form: Get Many', () => {
	const getAll = { resource: 'form', operation: 'getAll' };

	it('gives every form with its fields', async () => {
		const { items } = await n8n.runNode({ ...getAll, returnAll: true });
		expect(items.map(({ json }) => json.id).sort()).toEqual(formIds.toSorted());
		for (const { json, pairedItem } of items) {
			expect(json.fields).toEqual(
				expect.arrayContaining([expect.objectContaining({ uuid: expect.any(String) })]),
			);
			expect(pairedItem).toEqual({ item: 0 });
		}
	});

	it('gives at most ten attributes of a form, or the record as it is', async () => {
		const [simplified] = (await n8n.runNode({ ...getAll, limit: 1 })).items;
		expect(Object.keys(simplified.json).length).toBeLessThanOrEqual(10);
		expect((simplified.json.fields as unknown[])[0]).toEqual({
			uuid: expect.any(String),
			label: expect.any(String),
			type: expect.any(String),
			required: expect.any(Boolean),
		});
		const [raw] = (await n8n.runNode({ ...getAll, limit: 1, simplify: false })).items;
		expect(raw.json).toHaveProperty('cta_label');
	});

	it('gives the same of the fields, whatever the service names their attributes', async () => {
		const { items } = await n8n.runNode(getAll);
		service.shapes.fieldNames = 'idName';
		expect((await n8n.runNode(getAll)).items).toEqual(items);
	});

	it('gives no more than the limit', async () => {
		const { items } = await n8n.runNode({ ...getAll, limit: 2 });
		expect(items).toHaveLength(2);
		const { error } = await n8n.runNode({ ...getAll, limit: 0 });
		expect(error?.message).toBe("'Limit' must be a whole number of at least 1");
	});
});

describe('Form: Get', () => {
	const get = { resource: 'form', operation: 'get' };

	it('gives one form, by ID or from the list', async () => {
		for (const mode of ['id', 'list'] as const) {
			const { items } = await n8n.runNode({ ...get, formId: locator(demoForms.contact, mode) });
			expect(items).toMatchObject([
				{ json: { id: demoForms.contact, name: 'Contact' }, pairedItem: { item: 0 } },
			]);
		}
	});

	it('takes the forms of a hundred items from one listing', async () => {
		const items = Array.from({ length: 100 }, (_, index) => ({
			json: { form: formIds[index % formIds.length] },
		}));
		const run = await n8n.runNode({ ...get, formId: locator('={{ $json.form }}') }, items);
		expect(run.items.map(({ json }) => json.id)).toEqual(items.map(({ json }) => json.form));
		expect(service.requests).toHaveLength(1);
	});

	it('gives items that share nothing', async () => {
		const { items } = await n8n.runNode(
			{ ...get, formId: locator(demoForms.contact) },
			itemsOf({}, {}),
		);
		(items[0].json.fields as unknown[]).length = 0;
		expect(items[1].json.fields).toHaveLength(4);
	});

	it('says that there is no form with an ID', async () => {
		const { error } = await n8n.runNode({ ...get, formId: locator('absent') });
		expect(error).toMatchObject({
			message: 'There is no form with the ID absent',
		});
	});

	it.each([
		['empty', ''],
		['blank', ' '],
		['a path', '../workspace'],
		['in two parts', 'a/b'],
		['encoded', '%2e%2e'],
		['two words', 'a b'],
		['a lone surrogate', '\ud800'],
		['nothing', null],
		['a negative number', -1],
		['a switch', true],
		['a list', []],
		['an object', { id: 1 }],
		['10,000 characters long', 'x'.repeat(10_000)],
	])('stops at an ID that is %s before anything is sent', async (_, id) => {
		const { error } = await n8n.runNode(
			{ ...get, formId: locator('={{ $json.id }}') },
			itemsOf({ id }),
		);
		expect(error?.message).toMatch(/^'Form' is (missing|not a valid ID)$/);
		expect(error?.description).toContain('1 to 255 letters, digits, hyphens and underscores');
		expect(service.requests).toEqual([]);
	});
});

describe('Field: Get Many', () => {
	const getAll = { resource: 'field', operation: 'getAll' };

	it('gives the fields of a form, whatever the service names them', async () => {
		const { items } = await n8n.runNode({ ...getAll, formId: locator(demoForms.contact) });
		expect(items.map(({ json }) => json.label)).toEqual(['Name', 'Email', 'Phone', 'Message']);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(Array(4).fill({ item: 0 }));
		service.shapes.fieldNames = 'idName';
		const other = await n8n.runNode({ ...getAll, formId: locator(demoForms.contact) });
		expect(other.items.map(({ json }) => json.name)).toEqual(['Name', 'Email', 'Phone', 'Message']);
	});

	it('gives no more than the limit, or all', async () => {
		const parameters = { ...getAll, formId: locator(demoForms.contact) };
		expect((await n8n.runNode({ ...parameters, limit: 2 })).items).toHaveLength(2);
		const { id } = service.store.addForm({
			name: 'Long',
			fields: Array.from({ length: 51 }, (_, index) => ({ label: `Field ${index}` })),
		});
		const long = { ...getAll, formId: locator(id) };
		expect((await n8n.runNode(long)).items).toHaveLength(50);
		expect((await n8n.runNode({ ...long, returnAll: true })).items).toHaveLength(51);
	});
});

describe('Workspace: Get', () => {
	const get = { resource: 'workspace', operation: 'get' };

	it('gives at most ten attributes, or all of them', async () => {
		const { items } = await n8n.runNode(get);
		expect(items).toMatchObject([{ json: { name: 'Demo Workspace' }, pairedItem: { item: 0 } }]);
		const [{ json: simplified }] = items;
		expect(Object.keys(simplified)).toHaveLength(10);
		expect(simplified.owner).toEqual({ name: expect.any(String), email: expect.any(String) });
		const raw = (await n8n.runNode({ ...get, simplify: false })).items[0].json;
		expect(Object.keys(raw).length).toBeGreaterThan(10);
		expect(raw).toMatchObject(simplified);
	});

	it('gives no secrets with simplified output, even when asked for them', async () => {
		const { run } = await n8n.runNode({ ...get, includeSecrets: true });
		expect(JSON.stringify(run)).not.toMatch(/secret-\w|hooks\.slack|api\/webhooks/);
	});

	it('asks once for all items of a run', async () => {
		await n8n.runNode(get, itemsOf({}, {}, {}));
		expect(service.requests).toHaveLength(1);
	});
});
