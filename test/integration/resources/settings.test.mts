import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms, faultTable, slow, success } from '../../service/index.mts';
import { settingRules } from '../../service/specification/settingsRules.mts';
import { itemsOf, locator } from '../harness.mts';
import { operationNamed } from './operations.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();
const { contact, survey } = demoForms;

const stored = (formId: string) => service.store.form(formId)!.settings;
const posted = () => service.requests.flatMap(({ body }) => body ?? []);
const statusesOf = (items: Array<{ json: IDataObject }>) => items.map(({ json }) => json.status);

const update = { resource: 'setting', operation: 'update', formId: locator('={{ $json.id }}') };
const skip = { options: { skipUnchanged: true } };
const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

/** Updates the forms of a sheet that has a row for each form: its ID, its name and settings. */
async function run(rows: IDataObject[], parameters: object = {}, settings: object = {}) {
	const given = { ...update, inputMode: 'auto', ...parameters };
	return await n8n.runNode(given, itemsOf(...rows), settings);
}

const failOnce = () =>
	service.faults.set({ fault: 'unprocessable', times: 1, match: { method: 'POST' } });

const { properties } = operationNamed('Setting: Update');
const entries = properties.find(({ name }) => name === 'settings')!.options as INodeProperties[];
const added = Object.fromEntries(entries.map((one) => [one.name, one.default]));
const asFields = { inputMode: 'fields' };
const asJson = { inputMode: 'json', settingsJson: '={{ $json.json }}' };
const clearText = { options: { clearText: '(empty)' } };

describe('Setting: Update', () => {
	it.each<[object, IDataObject, object[]]>([
		[{ ...asFields, settings: { ...added, is_closed: false } }, {}, [{ is_closed: false }]],
		[
			{ ...asFields, settings: { slack_enabled: '={{ $json.on }}' } },
			{ on: '0' },
			[{ slack_enabled: false }],
		],
		[
			{ ...asFields, settings: { cta_label: '={{ null }}', seo_title: '={{ undefined }}' } },
			{},
			[{ cta_label: null }],
		],
		[{ ...asFields, clear: ['closed_message'] }, {}, [{ closed_message: null }]],
		[
			asJson,
			{ json: { is_closed: true, closed_message: null } },
			[{ is_closed: true, closed_message: null }],
		],
		[asJson, { json: {} }, []],
		[
			{},
			{ Closed: 'Yes', ' CTA-Label ': 'Go', name: 'x', Description: 'x' },
			[{ is_closed: true, cta_label: 'Go' }],
		],
		[{}, { closed_message: '', number_prefix: null }, []],
		[{}, { closed_message: ' (Empty) ' }, [{ closed_message: ' (Empty) ' }]],
		[clearText, { closed_message: ' (Empty) ' }, [{ closed_message: null }]],
	])('with %j and the item %j sends %j', async (parameters, item, bodies) => {
		const { error } = await run([{ id: contact, ...item }], parameters);
		expect(error).toBeUndefined();
		expect(posted()).toEqual(bodies);
	});

	it('can clear each setting that takes null, and no other', () => {
		const { options = [] } = properties.find(({ name }) => name === 'clear')!;
		const names = options.map((option) => 'value' in option && option.value);
		const nullable = Object.entries(settingRules).filter(([, rule]) => rule.nullable);
		expect(names.toSorted()).toEqual(nullable.map(([name]) => name).toSorted());
	});

	it('says what it changed, and which columns it ignored', async () => {
		const row = { id: contact, name: 'x', Description: 'x', Closed: 'Yes', 'CTA-Label': 'Go' };
		const { items } = await run([row, { id: survey, closed_message: '' }]);
		const summary = 'Closed: Yes; Button: Submit Label: Go';
		const changes = { is_closed: { to: true }, cta_label: { to: 'Go' } };
		const ignored = ['id', 'name', 'Description'];
		const json = { id: contact, updated_at: expect.any(String), status: 'updated' };
		expect(items).toMatchObject([
			{ json: { ...json, summary, changes, ignored }, pairedItem: { item: 0 } },
			{ json: { id: survey, status: 'skipped' } },
		]);
	});
});

describe('Preview and Skip Unchanged', () => {
	it('show what would change, and what the service does not show, and the one sends nothing', async () => {
		const { is_closed, name } = stored(contact);
		const data = [{ id: contact, name, is_closed, seo_title: '', slack_enabled: 1 }];
		service.faults.set({ fault: success(data), match: { path: /^\/forms$/ } });
		const body = { slack_enabled: false, seo_title: 'New', cta_label: 'x'.repeat(41) };
		const rows = [{ id: contact, is_closed, Name: 'x', ...body }];
		const changes = {
			slack_enabled: { from: 1, to: false },
			seo_title: { from: '', to: 'New' },
			cta_label: { to: body.cta_label },
		};
		const label = `Button: Submit Label: ${'x'.repeat(40)}…`;
		const summary = `Slack: Yes → No; SEO: Title: empty → New; ${label}`;
		const { items } = await run(rows, { preview: true, ...skip });
		const json = { id: contact, name, status: 'preview', changes, summary };
		expect(items.map((item) => item.json)).toEqual([{ ...json, ignored: ['id', 'Name'] }]);
		expect(posted()).toEqual([]);
		const updated = await run(rows, skip);
		expect(updated.items[0].json).toMatchObject({ status: 'updated', changes, summary });
		expect(posted()).toEqual([body]);
	});

	it('are undone by the changes in their output, also for skipped forms', async () => {
		const before = stored(contact);
		const rows: IDataObject[] = [
			{ id: contact, is_closed: !before.is_closed, cta_label: 'Other' },
			{ id: survey, is_closed: stored(survey).is_closed },
		];
		const { items } = await run(rows, skip);
		expect(statusesOf(items)).toEqual(['updated', 'skipped']);
		failOnce();
		const undo = { ...update, inputMode: 'json', settingsJson: '={{ $json.changes }}', ...skip };
		const undone = await n8n.runNode(undo, items, { node: retrying });
		expect(statusesOf(undone.items)).toEqual(['updated', 'skipped']);
		expect(stored(contact)).toEqual({ ...before, updated_at: stored(contact).updated_at });
	});

	it('compare a later row of a form with what an earlier one leaves, and never with a preview', async () => {
		const rows = ['One', 'Two', 'Two'].map((cta_label) => ({ id: contact, cta_label }));
		const { items } = await run(rows, { preview: true });
		expect(items.map(({ json }) => json.changes)).toEqual([
			{ cta_label: { from: stored(contact).cta_label, to: 'One' } },
			{ cta_label: { from: 'One', to: 'Two' } },
			{},
		]);
		const shown = [true, false, false].map((preview) => ({ id: contact, cta_label: 'X', preview }));
		const updated = await run(shown, { preview: '={{ $json.preview }}', ...skip });
		expect(statusesOf(updated.items)).toEqual(['preview', 'updated', 'skipped']);
	});

	it.each([
		['has changed', slow(0), 'updated'],
		['may have changed', faultTable.dropAfter, undefined],
	])('send a value again that an earlier row %s', async (_, fault, status) => {
		const before = stored(contact).cta_label;
		service.faults.set({ fault, match: { method: 'POST' }, times: 4 });
		const rows = ['Other', before].map((cta_label) => ({ id: contact, cta_label }));
		const { items } = await run(rows, skip, { continueOnFail: true });
		expect(statusesOf(items)).toEqual([status, 'updated']);
		expect(stored(contact).cta_label).toBe(before);
	});

	it('keep over the tries of n8n what was skipped and updated', async () => {
		const { cta_label, is_closed } = stored(contact);
		const rows = [{ cta_label }, { is_closed: !is_closed }, { cta_label: '2' }];
		failOnce();
		const ofForm = rows.map((row) => ({ id: contact, ...row }));
		const { items } = await run(ofForm, skip, { node: retrying });
		expect(posted()).toEqual([rows[1], rows[1], rows[2]]);
		expect(statusesOf(items)).toEqual(['skipped', 'updated', 'updated']);
	});
});
