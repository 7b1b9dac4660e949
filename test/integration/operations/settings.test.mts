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
const stored = (formId: string = contact) => service.store.form(formId)!.settings;

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

const everySetting = Object.fromEntries(settings.map((one) => [one.name, valueOf(one)]));

/** The entries of a collection. */
const entriesOf = (collection: string) =>
	operationNamed('Setting: Update').properties.find(({ name }) => name === collection)!
		.options as INodeProperties[];

describe('Settings: Update', () => {
	it('updates every setting, as fields and as JSON', async () => {
		const asFields = await n8n.runNode({ ...update, settings: everySetting });
		expect(asFields.error).toBeUndefined();
		expect(stored()).toMatchObject(everySetting);
		const other = { ...update, formId: locator(survey), inputMode: 'json' };
		await n8n.runNode({ ...other, settingsJson: JSON.stringify(everySetting) });
		expect(stored(survey)).toMatchObject(everySetting);
	});

	it('lets the last item have the last word, also when the first one had to be sent again', async () => {
		service.faults.set({ fault: 'unavailable', times: 1 });
		const names = itemsOf({ name: 'First' }, { name: 'Second' }, { name: 'Last' });
		await n8n.runNode({ ...update, settings: { name: '={{ $json.name }}' } }, names);
		service.faults.clear();
		expect(stored().name).toBe('Last');
	});

	it('changes nothing by a setting that was added and left alone', async () => {
		const added = entriesOf('settings').map(({ name, default: value }) => [name, value]);
		const left = Object.fromEntries(added) as INodeParameters;
		const { error } = await n8n.runNode({ ...update, settings: left });
		expect(error?.message).toMatch(/^There is no setting to update/);
		await n8n.runNode({ ...update, settings: { ...left, is_closed: false } });
		expect(service.requests.map(({ body }) => body)).toEqual([{ is_closed: false }]);
	});

	it('previews as soon as the option is added, and does not without it', () => {
		expect(entriesOf('options').map(({ name, default: value }) => [name, value])).toEqual([
			['preview', true],
			['skipUnchanged', true],
		]);
	});

	it("gives the form's id, name and time of update", async () => {
		const { items } = await n8n.runNode({ ...update, settings: { name: 'Contact us' } });
		expect(items).toMatchObject([
			{
				json: {
					id: contact,
					name: 'Contact us',
					updated_at: expect.any(String),
					status: 'updated',
					sent: { name: 'Contact us' },
				},
				pairedItem: { item: 0 },
			},
		]);
	});

	it('sends only what was given', async () => {
		await n8n.runNode({
			...update,
			settings: { is_closed: false },
			clear: ['closed_message', 'responses_limit'],
		});
		expect(service.requests.map(({ body }) => body)).toEqual([
			{ is_closed: false, closed_message: null, responses_limit: null },
		]);
	});

	it('clears a setting for which an expression gives null', async () => {
		const settings = { closed_message: '={{ null }}', responses_limit: '={{ $json.limit }}' };
		await n8n.runNode({ ...update, settings }, itemsOf({ limit: null }));
		expect(service.requests.map(({ body }) => body)).toEqual([
			{ closed_message: null, responses_limit: null },
		]);
	});

	it.each([-1, NaN, Infinity])('does not take %d for a text', async (number) => {
		const settings = { seo_title: `={{ ${number} }}` };
		const { error } = await n8n.runNode({ ...update, settings });
		expect(error?.message).toMatch(/^'SEO: Title' must be text/);
		expect(service.requests).toEqual([]);
	});

	it('takes what an expression gives: text for a boolean or integer, a number for text', async () => {
		await n8n.runNode(
			{
				...update,
				settings: {
					is_closed: '={{ $json.closed }}',
					responses_limit: '={{ $json.limit }}',
					number_prefix: '={{ $json.year }}',
					seo_title: '={{ $json.absent }}',
				},
			},
			itemsOf({ closed: '0', limit: '25', year: 2026 }),
		);
		expect(service.requests.map(({ body }) => body)).toEqual([
			{ is_closed: false, responses_limit: 25, number_prefix: '2026' },
		]);
	});

	it.each([
		[{ settings: {} }, /^There is no setting to update/],
		[
			{ settings: { after_redirect_delay: 61 } },
			/^'Redirect Delay \(Seconds\)' must be a whole number from 0 to 60 \(got 61\)$/,
		],
		[{ settings: { name: 'x'.repeat(256) } }, /^'Name' must be text of 1 to 255 characters/],
		[
			{ settings: { seo_title: 'Hi' }, clear: ['seo_title'] },
			/^'SEO: Title' is both set and cleared/,
		],
		[{ settings: { name: ' ' } }, /^'Name' must be text of 1 to 255 characters/],
		[{ clear: ['name'] }, /^'Name' must be text of 1 to 255 characters \(got null\)$/],
		[{ clear: ['is_closed'] }, /^'Closed' must be true or false/],
		[{ inputMode: 'json', settingsJson: '{"is_open": 1}' }, /^'is_open' is not a setting/],
		[{ inputMode: 'json', settingsJson: '{}' }, /^There is no setting to update/],
		[{ inputMode: 'json', settingsJson: '{"a"' }, /^'Settings \(JSON\)' is not valid JSON$/],
		[{ inputMode: 'json', settingsJson: '{"name": 5}' }, /^'name' must be text/],
		[{ formId: locator('={{ "a/b" }}'), settings: { name: 'x' } }, /^'Form' is not a valid ID$/],
	])('stops at %j before anything is sent', async (parameters, message) => {
		const { error } = await n8n.runNode({ ...update, ...parameters });
		expect(error?.message).toMatch(message);
		expect(error?.context).toMatchObject({ itemIndex: 0 });
		expect(service.requests).toEqual([]);
	});

	it('names everything that is wrong at once', async () => {
		const settings = { after_redirect_delay: -1, captcha: 'none', number_prefix: 'x'.repeat(11) };
		const { error } = await n8n.runNode({ ...update, settings });
		expect(error?.message).toBe("2 settings can't be updated");
		expect(error?.description).toMatch(/'Number: Prefix' .*\n'Redirect Delay \(Seconds\)' /);
	});
});
