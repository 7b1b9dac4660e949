import type { INodeProperties } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms } from '../../service/index.mts';
import { itemsOf, locator } from '../harness.mts';
import { operationNamed } from './operations.mts';
import { valuesOf } from './parameters.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();
const { contact } = demoForms;

const bodies = () => service.requests.map(({ body }) => body);

const update = { resource: 'setting', operation: 'update', formId: locator(contact) };

const { properties } = operationNamed('Setting: Update');
const entries = properties.find(({ name }) => name === 'settings')!.options as INodeProperties[];

const NOTHING = 'Add at least one setting, and enter its value';

describe('Setting: Update', () => {
	it('updates every setting, as fields and as JSON', async () => {
		const others = entries.map((one) => [one.name, valuesOf(one).at(-1)]);
		const numbers = { after_redirect_delay: 7, responses_limit: 7 };
		const after_redirect_url = 'https://example.com';
		const values = { ...Object.fromEntries(others), ...numbers, after_redirect_url };
		expect((await n8n.runNode({ ...update, settings: values })).error).toBeUndefined();
		const settingsJson = JSON.stringify(values);
		await n8n.runNode({ ...update, inputMode: 'json', settingsJson });
		expect(bodies()).toEqual([values, values]);
	});

	it('changes nothing by a setting that was added and left empty', async () => {
		const added = Object.fromEntries(entries.map((one) => [one.name, one.default]));
		const { error } = await n8n.runNode({ ...update, settings: added });
		expect(error?.message).toBe(NOTHING);
		await n8n.runNode({ ...update, settings: { ...added, is_closed: false } });
		expect(bodies()).toEqual([{ is_closed: false }]);
	});

	it('sends only the given settings, with null for those to clear', async () => {
		const given = {
			is_closed: '={{ $json.closed }}',
			number_prefix: '={{ $json.year }}',
			seo_title: '={{ $json.absent }}',
			description: '={{ null }}',
		};
		const clear = ['closed_message', 'responses_limit'];
		const input = itemsOf({ closed: '0', year: 2026 });
		const { items } = await n8n.runNode({ ...update, settings: given, clear }, input);
		const cleared = { description: null, closed_message: null, responses_limit: null };
		expect(bodies()).toEqual([{ is_closed: false, number_prefix: '2026', ...cleared }]);
		const form = { id: contact, updated_at: expect.any(String) };
		const summary =
			'Closed: No; Description: empty; Number: Prefix: 2026; Closed: Message: empty; Responses Limit: empty';
		const json = { ...form, status: 'updated', summary };
		expect(items).toMatchObject([{ json, pairedItem: { item: 0 } }]);
	});

	const unknown = "'is_close' is not a setting that can be updated";
	it.each([
		[{ settings: { seo_title: 'Hi' }, clear: ['seo_title'] }, "'SEO: Title' is the second value"],
		[{ clear: ['name'] }, "'Name' must be text of 1 to 255 characters (got null)"],
		[{ inputMode: 'json', settingsJson: '{"is_close": 1}' }, unknown],
		[{ inputMode: 'json', settingsJson: '{}' }, NOTHING],
	])('refuses %j before anything is sent', async (parameters, message) => {
		const { error } = await n8n.runNode({ ...update, ...parameters });
		expect(error?.message).toContain(message);
		expect(error?.context).toMatchObject({ itemIndex: 0 });
		expect(service.requests).toEqual([]);
	});
});
