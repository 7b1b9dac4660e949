import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it, onTestFinished } from 'vitest';
import { demoForms, faultTable, slow, success } from '../../service/index.mts';
import { itemsOf, locator, time } from '../harness.mts';
import { decrypting } from '../n8n/credentials.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();
const { contact, survey } = demoForms;

const stored = (formId: string) => service.store.form(formId)!.settings;
const bodies = () => service.requests.map(({ body }) => body);
const statusesOf = (items: Array<{ json: IDataObject }>) => items.map(({ json }) => json.status);

const update = { resource: 'setting', operation: 'update', formId: locator(contact) };

/** Updates the forms of a sheet that has a row for each form: its ID, its name and settings. */
async function run(rows: IDataObject[], parameters: object = {}, continueOnFail = false) {
	const formId = locator('={{ $json.id }}');
	const options = { updateDescriptions: true, ...(parameters as { options?: object }).options };
	const given = { ...update, formId, inputMode: 'auto', ...parameters, options };
	return await n8n.runNode(given, itemsOf(...rows), { continueOnFail });
}

it('Setting: Update keeps the order of the input for each form, however long n8n takes for an item', async () => {
	const { wait } = decrypting;
	onTestFinished(() => void (decrypting.wait = wait));
	const waits = [50, 0, 90, 10, 30, 0, 0, 120, 20];
	let index = 0;
	decrypting.wait = async () => await time.sleep(waits[index++ % waits.length]);
	const ids = ['One', 'Two', 'Three'].map((name) => service.store.addForm({ name }).id);
	const rows = Array.from({ length: 40 }, (_, at) => ({ id: ids[at % 3], description: `${at}` }));
	await run(rows);
	for (const id of ids) {
		const sent = service.requests.filter(({ path }) => path.includes(id));
		const bodies = rows.flatMap((row) => (row.id === id ? { description: row.description } : []));
		expect(sent.map(({ body }) => body)).toEqual(bodies);
	}
});

/** The service's list of forms, with no more of each record than these attributes. */
function showOnly(...names: string[]) {
	const forms = Object.values(demoForms).map((id) => ({ ...stored(id), id }));
	const data = forms.map((form) =>
		Object.fromEntries(Object.entries(form).filter(([name]) => names.includes(name))),
	);
	service.faults.set({ fault: success(data), match: { path: /^\/forms$/ } });
}

describe('Map Automatically', () => {
	it('takes the columns named as a setting in the API or the editor, and lists the others as ignored', async () => {
		const row = { id: contact, name: 'Renamed', owner: 'Ada', Closed: 'Yes', ' cta_label ': 'Go' };
		const { items } = await run([row]);
		expect(bodies()).toEqual([{ is_closed: true, cta_label: 'Go' }]);
		const sent = { is_closed: true, cta_label: 'Go' };
		const summary = 'Closed: Yes; Button: Submit Label: Go';
		const ignored = ['name', 'owner'];
		expect(items[0].json).toMatchObject({ status: 'updated', summary, sent, ignored });
		expect(items[0].json).not.toHaveProperty('changes');
	});

	it('takes one item if one form is chosen, and refuses a sheet before anything is sent', async () => {
		const formId = locator(contact, 'list');
		const rows = [contact, survey].map((form_id) => ({ form_id, Slack: 1 }));
		const { error } = await run(rows, { formId });
		expect(error?.message).toBe('Several items would update one form');
		expect(error?.description).toMatch(/Switch Form to By ID and drag the column/);
		expect(bodies()).toEqual([]);
		await run(rows.slice(0, 1), { formId });
		expect(bodies()).toEqual([{ slack_enabled: true }]);
	});

	it.each([
		['name', 'renameForms'],
		['description', 'updateDescriptions'],
	])('changes the %s of a form only with the option %s', async (column, name) => {
		const row = { id: contact, [column]: 'Changed' };
		// as if nobody had set it
		const off = { updateDescriptions: undefined };
		const { error } = await run([row], { options: off });
		expect(error?.message).toBe('No input field matches a setting');
		expect(error?.description).toContain("add 'Rename Forms' or 'Update Descriptions'");
		await run([row], { options: { ...off, [name]: true } });
		expect(bodies()).toEqual([{ [column]: 'Changed' }]);
	});

	it.each(['', '  ', null])('leaves a setting as it is if its cell has %j', async (empty) => {
		const { items } = await run([
			{ id: contact, closed_message: empty, seo_title: 2027 },
			{ id: survey, closed_message: empty, seo_title: empty },
		]);
		expect(bodies()).toEqual([{ seo_title: '2027' }]);
		expect(statusesOf(items)).toEqual(['updated', 'skipped']);
	});

	it('refuses two columns with values for one setting, unless one of the cells is empty', async () => {
		const { error } = await run([{ id: contact, is_closed: true, Closed: false }]);
		expect(error?.message).toMatch(/^'Closed' is the second value for 'Closed'\./);
		await run([{ id: survey, is_closed: ' ', Closed: false }]);
		expect(bodies()).toEqual([{ is_closed: false }]);
	});
});

describe('Preview', () => {
	it('sends nothing, and shows what would change and what cannot be known', async () => {
		showOnly('id', 'name', 'is_closed', 'description');
		const before = { ...stored(contact) };
		const to = !before.is_closed;
		const row = { id: contact, is_closed: to, description: 'New', cta_label: 'Go' };
		const { items } = await run([row], { preview: true, options: { skipUnchanged: true } });
		const description = { from: before.description, to: 'New' };
		const changes = { is_closed: { from: before.is_closed, to }, description };
		const form = { id: contact, name: before.name };
		const json = { ...form, status: 'preview', changes, unknown: { cta_label: 'Go' } };
		const summary = `Closed: ${to ? 'No → Yes' : 'Yes → No'}; Description: ${String(before.description ?? 'empty')} → New; Button: Submit Label: Go`;
		expect(items[0].json).toEqual({ ...json, summary });
		expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /forms']);
		expect(stored(contact)).toEqual(before);
	});

	it('finds a form that does not exist before anything is sent, as Skip Unchanged does', async () => {
		const rows = [contact, 'Absent'].map((id) => ({ id, cta_label: 'New' }));
		for (const checked of [{ preview: true }, { options: { skipUnchanged: true } }]) {
			const { error } = await run(rows, checked);
			expect(error?.message).toContain('Absent');
			expect(error?.context).toMatchObject({ itemIndex: 1 });
		}
		expect(new Set(service.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
	});

	it('compares a later row of a form with what an earlier one would leave, with one request', async () => {
		const rows = ['One', 'Two', 'Two'].map((description) => ({ id: contact, description }));
		const { items } = await run(rows, { preview: true });
		expect(items.map(({ json }) => json.changes)).toEqual([
			{ description: { from: stored(contact).description, to: 'One' } },
			{ description: { from: 'One', to: 'Two' } },
			undefined,
		]);
		expect(items[2].json).toMatchObject({ status: 'unchanged', summary: 'No changes' });
		expect(service.requests).toHaveLength(1);
	});
});

describe('Skip Unchanged', () => {
	const skip = { options: { skipUnchanged: true } };

	it('updates the ten forms of 150 that differ with 11 requests, and none again with one', async () => {
		const rows = Array.from({ length: 150 }, (_, index) => {
			const { id } = service.store.addForm({ name: `Form ${index}` });
			return { id, is_closed: index % 15 === 0, description: stored(id).description };
		}) as IDataObject[];
		const { items } = await run(rows, skip);
		expect(statusesOf(items).filter((status) => status === 'updated')).toHaveLength(10);
		expect(items[0].json.changes).toEqual({ is_closed: { from: false, to: true } });
		expect(items[0].json).not.toHaveProperty('sent');
		const unchanged = { id: rows[1].id, name: 'Form 1', status: 'skipped', summary: 'No changes' };
		expect(items[1].json).toEqual(unchanged);
		expect(service.requests).toHaveLength(11);
		service.requests.length = 0;
		const again = await run(rows, skip);
		expect(new Set(statusesOf(again.items))).toEqual(new Set(['skipped']));
		expect(service.requests).toHaveLength(1);
	});

	it('sends the settings that the service does not show, and none that have the value', async () => {
		showOnly('id', 'name', 'is_closed');
		const unknown = { cta_label: 'Go' };
		const row = { id: contact, is_closed: stored(contact).is_closed, ...unknown };
		const { items } = await run([row], skip);
		expect(bodies()).toEqual([undefined, unknown]);
		expect(items[0].json).toMatchObject({ id: contact, status: 'updated', unknown });
	});

	it('never calls a form sent that was skipped', async () => {
		service.faults.set({ fault: faultTable.forbidden, match: { method: 'POST' } });
		const rows = [contact, survey].map((id) => ({ id, cta_label: stored(contact).cta_label }));
		const { error } = await run(rows, skip);
		expect(error?.context).toMatchObject({ itemIndex: 1 });
		expect(error?.description).not.toMatch(/already sent|may or may not/);
	});

	it.each([
		['has changed', slow(0), 'updated'],
		['may have changed', faultTable.dropAfter, undefined],
	])('sends a value again that an earlier row %s', async (_, fault, status) => {
		const before = stored(contact).description;
		service.faults.set({ fault, match: { method: 'POST' }, times: 4 });
		const rows = ['Other', before].map((description) => ({ id: contact, description }));
		const { items } = await run(rows, skip, true);
		expect(statusesOf(items)).toEqual([status, 'updated']);
		expect(stored(contact).description).toBe(before);
	});
});
