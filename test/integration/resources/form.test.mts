import type { INodeParameters } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { demoForms, success } from '../../service/index.mts';
import { itemsOf, locator, placesOf } from '../harness.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();
const { contact } = demoForms;

it("Form: Get Many returns the forms with their fields, up to each item's Limit", async () => {
	const getAll = { resource: 'form', operation: 'getAll', limit: '={{ $json.limit }}' };
	const { items } = await n8n.runNode(getAll, itemsOf({ limit: '1' }, { limit: 10 }));
	expect(placesOf(items)).toEqual([0, 1, 1, 1, 1, 1]);
	const ids = items.slice(1).map(({ json }) => String(json.id));
	expect(ids.toSorted()).toEqual(Object.values(demoForms).toSorted());
	for (const { json } of items)
		expect(json.fields).toHaveLength(service.store.fields(String(json.id)).length);
});

it.each([
	[{ mandatory: 'true' }, true],
	[{ required: 0 }, false],
])('Form: Get says of a field with %j whether it is required: %s', async (given, required) => {
	const fields = [{ id: 'f', name: 'Name', ...given }];
	service.faults.set({ fault: success([{ id: contact, fields }]) });
	const get = { resource: 'form', operation: 'get', formId: locator(contact) };
	const json = { id: contact, fields: [{ uuid: 'f', label: 'Name', required }] };
	expect((await n8n.runNode(get)).items).toEqual([{ json, pairedItem: { item: 0 } }]);
});

it.each([
	`https://forms.example.com/${contact}`,
	`https://forms.example.com/f/${contact}/`,
	`https://forms.example.com/f/f%C3%BCr-alle-${contact}?source=mail-1#top`,
	`\u200e${contact}\ufeff`,
])('The form %j is found by its ID at the end', async (value) => {
	const formId = { ...locator('={{ $json.value }}'), mode: 'url' } as INodeParameters;
	const getAll = { resource: 'field', operation: 'getAll', formId };
	const { items } = await n8n.runNode(getAll, itemsOf({ value }));
	expect(items).toHaveLength(service.store.fields(contact).length);
});
