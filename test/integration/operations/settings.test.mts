import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms } from '../../service/index.mts';
import { itemsOf, locator } from '../harness.mts';
import { settings, type Setting } from '../../../nodes/FormService/api/settings/settings.ts';
import { operationNamed } from '../tables/operations.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();
const { contact, survey } = demoForms;
const update = { resource: 'settings', operation: 'update', formId: locator(contact) };
const bodies = () => service.requests.map(({ body }) => body);

/** A value that differs from that of a new form. */
function valueOf(setting: Setting): string | number | boolean {
	switch (setting.type) {
		case 'boolean':
			return !['seo_allow_bots', 'show_formtitle'].includes(setting.name);
		case 'integer':
			return setting.max ?? setting.min;
		case 'choice':
			return setting.choices[1];
		case 'url':
			return 'https://example.com/thanks';
		case 'text':
			return 'x'.repeat(Math.min(setting.maxLength ?? Infinity, 20));
	}
}

/** The entries of a collection with the values that they have when they are added. */
function listAdded(collection: string): INodeParameters {
	const { properties } = operationNamed('Setting: Update');
	const { options } = properties.find(({ name }) => name === collection)!;
	const entries = (options as INodeProperties[]).map((one) => [one.name, one.default]);
	return Object.fromEntries(entries) as INodeParameters;
}

describe('Setting: Update', () => {
	it('updates every setting, as fields and as JSON', async () => {
		const values = Object.fromEntries(settings.map((one) => [one.name, valueOf(one)]));
		const { error } = await n8n.runNode({ ...update, settings: values });
		expect(error).toBeUndefined();
		expect(service.store.form(contact)!.settings).toMatchObject(values);
		const asJson = { inputMode: 'json', settingsJson: JSON.stringify(values) };
		await n8n.runNode({ ...update, ...asJson, formId: locator(survey) });
		expect(service.store.form(survey)!.settings).toMatchObject(values);
	});

	it('changes nothing by a setting that was added and left empty', async () => {
		const added = listAdded('settings');
		const { error } = await n8n.runNode({ ...update, settings: added });
		expect(error?.message).toMatch(/^There is no setting to update/);
		await n8n.runNode({ ...update, settings: { ...added, is_closed: false } });
		expect(bodies()).toEqual([{ is_closed: false }]);
	});

	it('turns its options on as soon as they are added', () => {
		expect(listAdded('options')).toEqual({ preview: true, skipUnchanged: true });
	});

	it("returns the form's ID, name and time of update, and what was sent", async () => {
		const { items } = await n8n.runNode({ ...update, settings: { name: 'Contact us' } });
		const form = { id: contact, name: 'Contact us', updated_at: expect.any(String) };
		expect(items).toMatchObject([
			{
				json: { ...form, status: 'updated', sent: { name: 'Contact us' } },
				pairedItem: { item: 0 },
			},
		]);
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
		await n8n.runNode({ ...update, settings: given, clear }, input);
		const cleared = { description: null, closed_message: null, responses_limit: null };
		expect(bodies()).toEqual([{ is_closed: false, number_prefix: '2026', ...cleared }]);
	});

	it.each([
		[{ settings: {} }, /^There is no setting to update/],
		[
			{ settings: { after_redirect_delay: 61 } },
			/^'Redirect Delay \(Seconds\)' must be a whole number from 0 to 60 \(got 61\)$/,
		],
		[{ settings: { seo_title: 'Hi' }, clear: ['seo_title'] }, /^'SEO: Title' is given twice/],
		[{ clear: ['name'] }, /^'Name' must be text of 1 to 255 characters \(got null\)$/],
		[{ inputMode: 'json', settingsJson: '{"is_open": 1}' }, /^'is_open' is not a setting/],
		[{ inputMode: 'json', settingsJson: '{}' }, /^There is no setting to update/],
		[{ inputMode: 'json', settingsJson: '{"a"' }, /^'Settings \(JSON\)' is not valid JSON$/],
	])('refuses %j before anything is sent', async (parameters, message) => {
		const { error } = await n8n.runNode({ ...update, ...parameters });
		expect(error?.message).toMatch(message);
		expect(error?.context).toMatchObject({ itemIndex: 0 });
		expect(service.requests).toEqual([]);
	});

	it('lists all invalid settings of an item', async () => {
		const given = { after_redirect_delay: -1, captcha: 'none', number_prefix: 'x'.repeat(11) };
		const { error } = await n8n.runNode({ ...update, settings: given });
		expect(error?.message).toBe("2 settings can't be updated");
		expect(error?.description).toMatch(/'Number: Prefix' .*\n'Redirect Delay \(Seconds\)' /);
	});
});
