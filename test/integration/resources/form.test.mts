import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms, success } from '../../service/index.mts';
import { itemsOf, locator } from '../harness.mts';
import { pathsOf, running } from '../world.mts';

const { service, n8n } = await running();
const { contact } = demoForms;
const formIds = Object.values(demoForms);

const jsonOf = async (parameters: INodeParameters) =>
	(await n8n.runNode(parameters)).items.map(({ json }) => json);

describe('Form: Get Many', () => {
	const getAll = { resource: 'form', operation: 'getAll' };

	it('returns every form, simplified to at most ten attributes, with its fields', async () => {
		const { items } = await n8n.runNode({ ...getAll, returnAll: true });
		expect(items.map(({ json }) => json.id).sort()).toEqual(formIds.toSorted());
		for (const { json, pairedItem } of items) {
			expect(Object.keys(json).length).toBeLessThanOrEqual(10);
			expect(json.fields).toHaveLength(service.store.fields(String(json.id)).length);
			expect(pairedItem).toEqual({ item: 0 });
		}
	});

	it("returns no more forms than each item's Limit, which can be a text", async () => {
		const input = itemsOf({ limit: '1' }, { limit: 2 });
		const { items } = await n8n.runNode({ ...getAll, limit: '={{ $json.limit }}' }, input);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 1].map((item) => ({ item })));
	});
});

describe('Form: Get', () => {
	const get = { resource: 'form', operation: 'get' };

	it.each([
		[{ mandatory: 'true' }, true],
		[{ required: 0 }, false],
	])('says of a field with %j whether it is required: %s', async (given, required) => {
		const fields = [{ id: 'f', name: 'Name', ...given }];
		service.faults.set({ fault: success([{ id: contact, fields }]) });
		const forms = await jsonOf({ ...get, formId: locator(contact) });
		const simplified = [{ uuid: 'f', label: 'Name', required }];
		expect(forms).toEqual([{ id: contact, fields: simplified }]);
	});

	it('is an error for an ID that no form has, because capital letters count', async () => {
		const id = contact.toUpperCase();
		const { error } = await n8n.runNode({ ...get, formId: locator(id) });
		expect(error?.message).toBe(`There is no form with the ID ${id}`);
		expect(error?.description).toMatch(/^The form was deleted, or .* Choose the form again\.$/);
	});
});

it('Workspace: Get returns ten attributes, with one request for all items', async () => {
	const get = { resource: 'workspace', operation: 'get' };
	const { items } = await n8n.runNode(get, itemsOf({}, {}, {}));
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2].map((item) => ({ item })));
	expect(service.requests).toHaveLength(1);
	expect(Object.keys(items[0].json)).toHaveLength(10);
});

it.each([
	['url', `https://forms.example.com/f/${contact}`, undefined],
	['id', '', "'Form' is empty"],
	['id', 'a/b', "'Form' is not a valid ID"],
	['id', 'x'.repeat(256), "'Form' is not a valid ID"],
	['id', -1, "'Form' must be text"],
] as const)(
	'A form with the mode %s and the value %j is taken, or refused: %s',
	async (...given) => {
		const [mode, value, problem] = given;
		const formId = { ...locator('={{ $json.value }}'), mode } as INodeParameters;
		const getAll = { resource: 'field', operation: 'getAll', formId };
		const { error } = await n8n.runNode(getAll, itemsOf({ value }));
		expect(error?.message).toBe(problem);
		expect(pathsOf(service.requests)).toEqual(problem ? [] : [`/forms/${contact}/fields`]);
	},
);

const settings = { resource: 'setting', operation: 'update', settings: { seo_title: 'x' } };

it.each<INodeParameters>([
	{ resource: 'form', operation: 'get' },
	{ resource: 'response', operation: 'getAll' },
	{ resource: 'response', operation: 'create', inputMode: 'auto' },
	{ ...settings, preview: true },
])('%j names a form that was chosen from the list and deleted since', async (parameters) => {
	const formId = { ...locator('gone42', 'list'), cachedResultName: 'Summer Party' };
	const { error } = await n8n.runNode({ ...parameters, formId });
	expect(error).toMatchObject({
		message: 'The form "Summer Party" no longer exists',
		description: expect.stringMatching(/Choose the form again\.$/),
	});
	service.faults.set({ fault: 'forbidden' });
	const refused = await n8n.runNode({ ...parameters, formId });
	expect(refused.error?.message).toMatch(/^Access denied/);
});
