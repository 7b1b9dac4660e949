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
const bodies = () => service.requests.map(({ body }) => body);
const posted = () => bodies().filter((body) => body !== undefined);
const statusesOf = (items: Array<{ json: IDataObject }>) => items.map(({ json }) => json.status);

const update = { resource: 'setting', operation: 'update', formId: locator(contact) };
const skip = { options: { skipUnchanged: true } };
const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

/** Updates the forms of a sheet that has a row for each form: its ID, its name and settings. */
async function run(
	rows: IDataObject[],
	parameters: object = {},
	continueOnFail = false,
	node: object = {},
) {
	const formId = locator('={{ $json.id }}');
	const given = { ...update, formId, inputMode: 'auto', ...parameters };
	return await n8n.runNode(given, itemsOf(...rows), { continueOnFail, node });
}

const failOnce = () =>
	service.faults.set({ fault: 'unprocessable', times: 1, match: { method: 'POST' } });

describe('Using Fields Below and Using JSON', () => {
	const { properties } = operationNamed('Setting: Update');
	const entries = properties.find(({ name }) => name === 'settings')!.options as INodeProperties[];
	const NOTHING = 'Add at least one setting, and enter its value';

	it('change nothing by a setting that was added and left empty', async () => {
		const added = Object.fromEntries(entries.map((one) => [one.name, one.default]));
		const { error } = await n8n.runNode({ ...update, settings: added });
		expect(error?.message).toBe(NOTHING);
		await n8n.runNode({ ...update, settings: { ...added, is_closed: false } });
		expect(bodies()).toEqual([{ is_closed: false }]);
	});

	it('send null for each setting to clear that takes it, and an absent value not at all', async () => {
		const { options = [] } = properties.find(({ name }) => name === 'clear')!;
		const names = options.map((option) => 'value' in option && option.value);
		const nullable = Object.entries(settingRules).filter(([, rule]) => rule.nullable);
		expect(names.toSorted()).toEqual(nullable.map(([name]) => name).toSorted());
		const settings = { is_closed: '={{ $json.closed }}', seo_title: '={{ $json.absent }}' };
		const clear = ['closed_message'];
		const { items } = await n8n.runNode({ ...update, settings, clear }, itemsOf({ closed: '0' }));
		expect(bodies()).toEqual([{ is_closed: false, closed_message: null }]);
		const summary = 'Closed: No; Closed: Message: empty';
		const json = { id: contact, updated_at: expect.any(String), status: 'updated', summary };
		expect(items).toMatchObject([{ json, pairedItem: { item: 0 } }]);
		expect(items[0].json).not.toHaveProperty('ignored');
	});

	it.each([
		[
			{ settings: { seo_title: 'x' }, clear: ['seo_title'] },
			"is the second value for 'SEO: Title'",
		],
		[{ clear: ['name'] }, "'Name' must be text of 1 to 255 characters (got null)"],
		[{ inputMode: 'json', settingsJson: '{"is_close": 1}' }, "'is_close' is not a setting that"],
		[{ settings: { seo_title: '={{ $json.absent }}' } }, NOTHING],
		[{ inputMode: 'json', settingsJson: '{}' }, NOTHING],
		[{ inputMode: 'auto' }, 'setting. Nothing was sent. The item is row 2. Name an input field'],
	])('refuse %j before anything is sent', async (parameters, message) => {
		const input = itemsOf({ Clsed: 'yes', row_number: 2 });
		const { error } = await n8n.runNode({ ...update, ...parameters }, input);
		const text = `${error?.message}. ${error?.description}`;
		expect(text.replaceAll('<br>\n', ' ')).toContain(message);
		expect(error?.context).toMatchObject({ itemIndex: 0 });
		expect(service.requests).toEqual([]);
	});
});

describe('Map Automatically', () => {
	it('clears a setting by the text of the option, and only then', async () => {
		const row = { id: contact, 'Closed: Message': ' (Empty) ' };
		await run([row]);
		await run([row], { options: { clearText: '(empty)' } });
		expect(bodies()).toEqual([{ closed_message: ' (Empty) ' }, { closed_message: null }]);
		const { error } = await run([row], { options: { clearText: ' ' } });
		expect(error?.message).toBe("'Text That Clears a Setting' is empty");
	});

	it.each([
		[{ Closed: 'maybe' }, `'Closed' must be yes or no (got "maybe")`],
		[{ 'Closed: Message': '#N/A' }, "'Closed: Message' has the error value #N/A"],
	])('refuses %j', async (cells, message) => {
		const { error } = await run([{ id: contact, ...cells }]);
		expect(error?.message).toBe(message);
		expect(service.requests).toEqual([]);
	});

	it('takes the columns that are named after a setting and not empty, and lists the others as ignored', async () => {
		const empty = { closed_message: '', number_prefix: null };
		const row = { id: contact, name: 'x', Description: 'x', Closed: 'Yes', ' CTA-Label ': 'Go' };
		const { items } = await run([
			{ ...row, ...empty },
			{ id: survey, ...empty },
		]);
		expect(bodies()).toEqual([{ is_closed: true, cta_label: 'Go' }]);
		const summary = 'Closed: Yes; Button: Submit Label: Go';
		const changes = { is_closed: { to: true }, cta_label: { to: 'Go' } };
		const ignored = ['id', 'name', 'Description'];
		expect(items[0].json).toMatchObject({ status: 'updated', summary, changes, ignored });
		expect(items[1].json.status).toBe('skipped');
	});

	it('takes one item if one form is chosen, and refuses a sheet before anything is sent', async () => {
		const formId = locator(contact, 'list');
		const rows = [contact, survey].map((form_id) => ({ form_id, Slack: 1 }));
		const { error } = await run(rows, { formId });
		expect(error?.message).toBe('Several items would update one form');
		expect(error?.description).toMatch(/Set 'Form' to 'By ID', and drag the column/);
		expect(bodies()).toEqual([]);
		await run(rows.slice(0, 1), { formId });
		expect(bodies()).toEqual([{ slack_enabled: true }]);
	});
});

describe('A later try of n8n', () => {
	it('sends no failed item of a node that continues, because later items have been sent', async () => {
		failOnce();
		const rows = ['First', 'Last'].map((cta_label) => ({ id: contact, cta_label }));
		const { items } = await run(rows, {}, true, retrying);
		expect(posted()).toEqual([{ cta_label: 'First' }, { cta_label: 'Last' }]);
		expect(items[0].json.error).toMatch(/^Form Service rejected the request/);
		expect(items[1].json.status).toBe('updated');
	});

	it('keeps an item skipped, even if later items have changed its settings', async () => {
		const { cta_label } = stored(contact);
		const rows = [{ cta_label }, { cta_label: '2' }, { seo_title: 'Kept' }];
		let count = 0;
		const fault = () => (count++ === 1 ? faultTable.unprocessable : undefined);
		service.faults.set({ fault, match: { method: 'POST' } });
		const ofForm = rows.map((row) => ({ id: contact, ...row }));
		const { items } = await run(ofForm, skip, false, retrying);
		expect(posted()).toEqual([{ cta_label: '2' }, { seo_title: 'Kept' }, { seo_title: 'Kept' }]);
		expect(statusesOf(items)).toEqual(['skipped', 'updated', 'updated']);
	});

	it('shows the old values of an update that was rejected before', async () => {
		failOnce();
		const { is_closed } = stored(contact);
		const { items } = await run([{ id: contact, is_closed: !is_closed }], skip, false, retrying);
		expect(items[0].json.changes).toEqual({ is_closed: { from: is_closed, to: !is_closed } });
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
		const updated = await run(rows, skip);
		expect(updated.items[0].json).toMatchObject({ status: 'updated', changes, summary });
		expect(posted()).toEqual([body]);
	});

	it('are undone by the changes in their output, also for skipped forms and two rows of a form', async () => {
		const before = stored(contact);
		const rows: IDataObject[] = [
			{ id: contact, is_closed: !before.is_closed, cta_label: 'Other' },
			{ id: contact, cta_label: 'Third' },
			{ id: survey, is_closed: stored(survey).is_closed },
		];
		const { items } = await run(rows, skip);
		expect(statusesOf(items)).toEqual(['updated', 'updated', 'skipped']);
		failOnce();
		const back = { inputMode: 'json', settingsJson: '={{ $json.changes }}' };
		const undo = { ...update, ...back, formId: locator('={{ $json.id }}'), ...skip };
		const undone = await n8n.runNode(undo, items, { node: retrying });
		expect(statusesOf(undone.items)).toEqual(['updated', 'skipped', 'skipped']);
		expect(stored(contact)).toEqual({ ...before, updated_at: stored(contact).updated_at });
	});

	it('show a row without a column for a setting, which is an error only in the update', async () => {
		const rows = [
			{ id: contact, Clsed: 'yes' },
			{ id: survey, cta_label: 'Go' },
		];
		const { items } = await run(rows, { preview: true });
		expect(statusesOf(items)).toEqual(['unchanged', 'preview']);
		expect(items[0].json).toMatchObject({ summary: 'No changes', ignored: ['id', 'Clsed'] });
		expect((await run(rows)).error?.message).toBe('No input field matches a setting');
	});

	it('are up to date after an update, as the service stores texts', async () => {
		const texts = { closed_message: ' Cafe\u0301 \n', seo_title: ' ' };
		const json = { inputMode: 'json', settingsJson: JSON.stringify(texts) };
		const runJson = async () =>
			statusesOf((await run([{ id: contact }], { ...json, ...skip })).items);
		expect(await runJson()).toEqual(['updated']);
		expect(await runJson()).toEqual(['skipped']);
		const trimmed = { closed_message: 'Café', seo_title: null };
		const composed = { ...stored(contact), ...trimmed, id: contact };
		service.faults.set({ fault: success([composed]), match: { path: /^\/forms$/ } });
		expect(await runJson()).toEqual(['skipped']);
	});

	it.each([{ preview: true }, skip])(
		'(%j) find a form that does not exist before anything is sent',
		async (checked) => {
			const rows = [contact, 'Absent'].map((id) => ({ id, cta_label: 'New' }));
			const { error } = await run(rows, checked);
			expect(error).toMatchObject({
				message: 'There is no form with the ID Absent',
				context: { itemIndex: 1 },
			});
			expect(posted()).toEqual([]);
		},
	);

	it('compare a later row of a form with what an earlier one leaves, and never with a preview', async () => {
		const rows = ['One', 'Two', 'Two'].map((cta_label) => ({ id: contact, cta_label }));
		const { items } = await run(rows, { preview: true });
		expect(items.map(({ json }) => json.changes)).toEqual([
			{ cta_label: { from: stored(contact).cta_label, to: 'One' } },
			{ cta_label: { from: 'One', to: 'Two' } },
			{},
		]);
		expect(service.requests).toHaveLength(1);
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
		const { items } = await run(rows, skip, true);
		expect(statusesOf(items)).toEqual([status, 'updated']);
		expect(stored(contact).cta_label).toBe(before);
	});
});
