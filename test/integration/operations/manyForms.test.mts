import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { answer, demoForms } from '../../service/index.mts';
import { itemsOf, locator } from '../harness.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();
const { contact, survey } = demoForms;

/** A sheet with a row for each form: its ID, its name and settings. */
const update = {
	resource: 'settings',
	operation: 'update',
	formId: locator('={{ $json.id }}'),
	inputMode: 'auto',
	updateDescriptions: true,
};
const stored = (formId: string) => service.store.form(formId)!.settings;
const bodies = () => service.requests.map(({ body }) => body);
/** The service's list of forms, with no more of each record than these attributes. */
function showOnly(...names: string[]) {
	const forms = Object.values(demoForms).map((id) => ({ ...stored(id), id }));
	const data = forms.map((form) =>
		Object.fromEntries(Object.entries(form).filter(([name]) => names.includes(name))),
	);
	const text = JSON.stringify({ success: true, data });
	service.faults.set({
		fault: answer(200, 'application/json', text),
		match: { path: /^\/forms$/ },
	});
}

const statusOf = (items: Array<{ json: IDataObject }>) => items.map(({ json }) => json.status);

describe('Settings: Update with Map Automatically', () => {
	it("takes the fields that are a setting's name, the service's or the editor's, and says what it took", async () => {
		const row = { id: contact, name: 'Renamed', owner: 'Ada', Closed: 'Yes', ' cta_label ': 'Go' };
		const { items, error } = await n8n.runNode(update, itemsOf(row));
		expect(error).toBeUndefined();
		expect(bodies()).toEqual([{ is_closed: true, cta_label: 'Go' }]);
		expect(items[0].json).toMatchObject({
			status: 'updated',
			sent: { is_closed: true, cta_label: 'Go' },
			ignored: ['name', 'owner'],
		});
		expect(items[0].json).not.toHaveProperty('changes');
	});

	it.each(['seo title', 'SEO Title', 'seo-title', 'Seo_Title', 'SEO: TITLE', 'seoTitle'])(
		'takes %j for seo_title',
		async (title) => {
			await n8n.runNode(update, itemsOf({ id: contact, [title]: 'Hi' }));
			expect(bodies()).toEqual([{ seo_title: 'Hi' }]);
		},
	);

	it.each([
		['name', 'renameForms', "To use 'name', turn on 'Rename Forms'"],
		['description', 'updateDescriptions', "To use 'description', turn on 'Update Descriptions'"],
	])("takes a sheet's own %s for the form's only with the option", async (name, option, hint) => {
		const row = { id: contact, [name]: 'Changed' };
		const off = { ...update, updateDescriptions: false };
		const alone = await n8n.runNode(off, itemsOf(row));
		expect(alone.error?.message).toBe(`No input field matches a setting. ${hint}`);
		const beside = await n8n.runNode(off, itemsOf({ ...row, cta_label: 'Go' }));
		expect(beside.items[0].json.ignored).toEqual([name]);
		expect(bodies()).toEqual([{ cta_label: 'Go' }]);
		await n8n.runNode({ ...off, [option]: true }, itemsOf(row));
		expect(bodies()[1]).toEqual({ [name]: 'Changed' });
	});

	it.each(['', '  ', null])('leaves a setting as it is whose cell has %j', async (empty) => {
		const rows = itemsOf(
			{ id: contact, closed_message: empty, seo_title: 2027 },
			{ id: survey, closed_message: empty, seo_title: empty },
		);
		const { items } = await n8n.runNode(update, rows);
		expect(bodies()).toEqual([{ seo_title: '2027' }]);
		expect(statusOf(items)).toEqual(['updated', 'skipped']);
	});

	it('trims a URL of a cell', async () => {
		const row = { id: contact, after_redirect_url: ' https://a.example/thanks\n' };
		await n8n.runNode(update, itemsOf(row));
		expect(bodies()).toEqual([{ after_redirect_url: 'https://a.example/thanks' }]);
	});

	it('refuses a setting that one item gives twice', async () => {
		const { error } = await n8n.runNode(
			update,
			itemsOf({ id: contact, is_closed: true, Closed: false }),
		);
		expect(error?.message).toBe(
			"'is_closed' and 'Closed' match the same setting. Remove or empty one of them",
		);
		expect(service.requests).toEqual([]);
		const [first, second] = [
			{ is_closed: true, Closed: '' },
			{ is_closed: ' ', Closed: false },
		];
		await n8n.runNode(update, itemsOf({ id: contact, ...first }, { id: survey, ...second }));
		expect(bodies()).toEqual([{ is_closed: true }, { is_closed: false }]);
	});

	it('reports all rows that are wrong at once, by the names of their columns, before anything is sent', async () => {
		const rows = itemsOf(
			{ id: survey, Closed: true },
			{ id: contact, 'is closed': 'perhaps' },
			{ id: contact, 'Responses Limit': 0, 'SEO Title': 'x'.repeat(256) },
			{ id: 'a/b', Closed: true, row_number: 17 },
		);
		const { error } = await n8n.runNode(update, rows);
		expect(error).toMatchObject({
			message: '3 of 4 rows have errors',
			context: { itemIndex: 1 },
		});
		const lines = String(error?.description).split('\n');
		expect(lines).toEqual([
			'Nothing was sent.',
			expect.stringMatching(/^Row 2 \(item 1\): 'is closed' must be true or false/),
			expect.stringMatching(
				/^Row 3 \(item 2\): 2 settings can't be updated\. 'Responses Limit' .*'SEO Title' /,
			),
			expect.stringMatching(/^Row 17 \(item 3\): 'Form' is not a valid ID/),
		]);
		expect(service.requests).toEqual([]);
	});
});

describe('Settings: Update with Preview', () => {
	const preview = { ...update, options: { preview: true } };

	it('sends nothing, and gives what would change and what cannot be known', async () => {
		showOnly('id', 'name', 'is_closed', 'description');
		const before = { ...stored(contact) };
		const row = { id: contact, is_closed: !before.is_closed, description: 'New', cta_label: 'Go' };
		const { items } = await n8n.runNode(preview, itemsOf(row));
		expect(items[0].json).toEqual({
			id: contact,
			name: before.name,
			status: 'preview',
			changes: {
				is_closed: { from: before.is_closed, to: !before.is_closed },
				description: { from: before.description, to: 'New' },
			},
			unknown: { cta_label: 'Go' },
		});
		expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /forms']);
		expect(stored(contact)).toEqual(before);
	});

	it('asks once for all items, and compares a later item of a form with what an earlier one leaves', async () => {
		const rows = itemsOf(
			{ id: contact, description: 'One' },
			{ id: contact, description: 'Two' },
			{ id: contact, description: 'Two' },
		);
		const { items } = await n8n.runNode(preview, rows);
		expect(items.map(({ json }) => json.changes)).toMatchObject([
			{ description: { to: 'One' } },
			{ description: { from: 'One', to: 'Two' } },
			{},
		]);
		expect(items[2].json).toEqual({
			id: contact,
			name: stored(contact).name,
			status: 'preview',
			changes: {},
		});
		expect(service.requests).toHaveLength(1);
	});

	it('reports forms that do not exist as rows with errors', async () => {
		const rows = itemsOf(
			{ id: 'unknown', is_closed: true },
			{ id: contact, is_closed: true },
			{ id: 'absent', is_closed: true },
		);
		const { error } = await n8n.runNode(preview, rows);
		expect(error).toMatchObject({
			message: '2 of 3 rows have errors',
			context: { itemIndex: 0 },
		});
		const lines = String(error?.description).split('\n');
		expect(lines).toEqual([
			'Nothing was sent.',
			expect.stringMatching(/^Row 1 \(item 0\): There is no form with the ID unknown/),
			expect.stringMatching(/^Row 3 \(item 2\): There is no form with the ID absent/),
		]);
	});
});

describe('Settings: Update with Skip Unchanged', () => {
	const skip = { ...update, options: { skipUnchanged: true } };

	it('updates 150 forms of which ten differ with 11 requests, and with one when run again', async () => {
		const rows = Array.from({ length: 150 }, (_, index) => {
			const { id } = service.store.addForm({ name: `Form ${index}` });
			return { id, is_closed: index % 15 === 0, description: '' };
		});
		const described = rows.map((row) => ({ ...row, description: stored(row.id).description }));
		const first = await n8n.runNode(skip, itemsOf(...(described as IDataObject[])));
		expect(first.error).toBeUndefined();
		expect(statusOf(first.items).filter((status) => status === 'updated')).toHaveLength(10);
		expect(first.items[0].json.changes).toEqual({ is_closed: { from: false, to: true } });
		expect(first.items[1].json).toEqual({
			id: rows[1].id,
			name: 'Form 1',
			status: 'skipped',
			changes: {},
		});
		expect(service.requests).toHaveLength(11);
		service.requests.length = 0;
		const again = await n8n.runNode(skip, itemsOf(...(described as IDataObject[])));
		expect(new Set(statusOf(again.items))).toEqual(new Set(['skipped']));
		expect(service.requests).toHaveLength(1);
	});

	it('takes other line ends for the same text', async () => {
		service.store.editSettings(contact, { closed_message: 'See you\r\nin May' });
		const row = { id: contact, closed_message: 'See you\nin May' };
		const { items } = await n8n.runNode(skip, itemsOf(row));
		expect(statusOf(items)).toEqual(['skipped']);
	});

	it('sends what the record of the form does not show, but not what already has the value', async () => {
		showOnly('id', 'name', 'is_closed');
		const row = { id: contact, is_closed: stored(contact).is_closed, cta_label: 'Go' };
		await n8n.runNode(skip, itemsOf(row));
		expect(bodies()).toEqual([undefined, { cta_label: 'Go' }]);
	});

	it('gives a form the last value of several, whatever it had before', async () => {
		const before = stored(contact).description;
		const rows = itemsOf(
			{ id: contact, description: 'Other' },
			{ id: contact, description: before },
		);
		const { items } = await n8n.runNode(skip, rows);
		expect(statusOf(items)).toEqual(['updated', 'updated']);
		expect(stored(contact).description).toBe(before);
	});

	it('sends all of a later item where nobody knows what became of an earlier one', async () => {
		const before = stored(contact).description;
		service.faults.set({ fault: 'dropAfter', match: { method: 'POST' }, times: 4 });
		const rows = itemsOf(
			{ id: contact, description: 'Other' },
			{ id: contact, description: before },
		);
		const { items } = await n8n.runNode(skip, rows, { continueOnFail: true });
		expect(items[0].json.error).toEqual(expect.any(String));
		expect(statusOf(items)).toEqual([undefined, 'updated']);
		expect(stored(contact).description).toBe(before);
	});
});
