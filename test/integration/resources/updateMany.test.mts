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

/** Updates the forms of a sheet that has a row for each form: its ID, its name and settings. */
async function run(rows: IDataObject[], parameters: object = {}, continueOnFail = false) {
	const formId = locator('={{ $json.id }}');
	const update = { resource: 'setting', operation: 'update', formId, inputMode: 'auto' };
	return await n8n.runNode({ ...update, ...parameters }, itemsOf(...rows), { continueOnFail });
}

it('Setting: Update keeps the order of the input for each form, however long n8n takes for an item', async () => {
	const { wait } = decrypting;
	onTestFinished(() => void (decrypting.wait = wait));
	const waits = [50, 0, 90, 10, 30, 0, 0, 120, 20];
	let index = 0;
	decrypting.wait = async () => await time.sleep(waits[index++ % waits.length]);
	const ids = ['One', 'Two', 'Three'].map((name) => service.store.addForm({ name }).id);
	const rows = Array.from({ length: 40 }, (_, at) => ({ id: ids[at % 3], cta_label: `${at}` }));
	await run(rows);
	for (const id of ids) {
		const sent = service.requests.filter(({ path }) => path.includes(id));
		const bodies = rows.flatMap((row) => (row.id === id ? { cta_label: row.cta_label } : []));
		expect(sent.map(({ body }) => body)).toEqual(bodies);
	}
});

describe('Map Automatically', () => {
	it('takes the columns named as a setting in the API or the editor, and lists the others as ignored', async () => {
		const row = { id: contact, name: 'x', Description: 'x', Closed: 'Yes', ' cta_label ': 'Go' };
		const { items } = await run([row]);
		expect(bodies()).toEqual([{ is_closed: true, cta_label: 'Go' }]);
		const summary = 'Closed: Yes; Button: Submit Label: Go';
		const changes = { is_closed: { to: true }, cta_label: { to: 'Go' } };
		const ignored = ['id', 'name', 'Description'];
		expect(items[0].json).toMatchObject({ status: 'updated', summary, changes, ignored });
	});

	it('refuses a row without a column for a setting', async () => {
		const { error } = await run([{ id: contact, name: 'Changed' }]);
		expect(error?.message).toBe('No input field matches a setting');
		expect(error?.description).toContain("set 'Specify Settings' to 'Using Fields Below'");
		expect(bodies()).toEqual([]);
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

	it('leaves settings with empty cells as they are', async () => {
		const empty = { closed_message: '', cta_label: '  ', number_prefix: null };
		const rows = [
			{ id: contact, ...empty, is_closed: ' ', Closed: false },
			{ id: survey, ...empty },
		];
		const { items } = await run(rows);
		expect(bodies()).toEqual([{ is_closed: false }]);
		expect(statusesOf(items)).toEqual(['updated', 'skipped']);
	});
});

describe('With a comparison', () => {
	const skip = { options: { skipUnchanged: true } };

	it('Preview sends nothing, and shows what would change', async () => {
		const before = { ...stored(contact) };
		const to = !before.is_closed;
		const row = { id: contact, is_closed: to, seo_title: 'New', cta_label: before.cta_label };
		const { items } = await run([row], { preview: true, ...skip });
		const changes = { is_closed: { from: !to, to }, seo_title: { from: null, to: 'New' } };
		const summary = `Closed: ${to ? 'No → Yes' : 'Yes → No'}; SEO: Title: empty → New`;
		const form = { id: contact, name: before.name };
		expect(items[0].json).toEqual({
			...form,
			status: 'preview',
			changes,
			summary,
			ignored: ['id'],
		});
		expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /forms']);
		expect(stored(contact)).toEqual(before);
	});

	it('a form that does not exist is found before anything is sent', async () => {
		const rows = [contact, 'Absent'].map((id) => ({ id, cta_label: 'New' }));
		for (const checked of [{ preview: true }, skip]) {
			const { error } = await run(rows, checked);
			expect(error?.message).toContain('Absent');
			expect(error?.context).toMatchObject({ itemIndex: 1 });
		}
		expect(new Set(service.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
	});

	it('a later row of a form is compared with what an earlier one would leave', async () => {
		const rows = ['One', 'Two', 'Two'].map((cta_label) => ({ id: contact, cta_label }));
		const { items } = await run(rows, { preview: true });
		expect(items.map(({ json }) => json.changes)).toEqual([
			{ cta_label: { from: stored(contact).cta_label, to: 'One' } },
			{ cta_label: { from: 'One', to: 'Two' } },
			{},
		]);
		expect(items[2].json).toMatchObject({ status: 'skipped', summary: 'No changes' });
		expect(service.requests).toHaveLength(1);
	});

	it('Skip Unchanged updates the ten forms of 150 that differ with 11 requests', async () => {
		const rows = Array.from({ length: 150 }, (_, index) => {
			const { id } = service.store.addForm({ name: `Form ${index}` });
			return { id, is_closed: index % 15 === 0, cta_label: stored(id).cta_label };
		}) as IDataObject[];
		const { items } = await run(rows, skip);
		expect(statusesOf(items).filter((status) => status === 'updated')).toHaveLength(10);
		expect(items[0].json.changes).toEqual({ is_closed: { from: false, to: true } });
		const unchanged = { id: rows[1].id, name: 'Form 1', status: 'skipped', summary: 'No changes' };
		expect(items[1].json).toMatchObject(unchanged);
		expect(service.requests).toHaveLength(11);
	});

	it('a setting that the service does not show is sent, and one that has the value is not', async () => {
		const { is_closed } = stored(contact);
		const data = [{ id: contact, is_closed }];
		service.faults.set({ fault: success(data), match: { path: /^\/forms$/ } });
		const { items } = await run([{ id: contact, is_closed, cta_label: 'Go' }], skip);
		expect(bodies()).toEqual([undefined, { cta_label: 'Go' }]);
		const changes = { cta_label: { to: 'Go' } };
		expect(items[0].json).toMatchObject({ id: contact, status: 'updated', changes });
	});

	it('a form that was skipped is never called sent', async () => {
		service.faults.set({ fault: faultTable.forbidden, match: { method: 'POST' } });
		const rows = [contact, survey].map((id) => ({ id, cta_label: stored(contact).cta_label }));
		const { error } = await run(rows, skip);
		expect(error?.context).toMatchObject({ itemIndex: 1 });
		expect(error?.description).not.toMatch(/already sent|may or may not/);
	});

	it.each([
		['has changed', slow(0), 'updated'],
		['may have changed', faultTable.dropAfter, undefined],
	])('a value is sent again that an earlier row %s', async (_, fault, status) => {
		const before = stored(contact).cta_label;
		service.faults.set({ fault, match: { method: 'POST' }, times: 4 });
		const rows = ['Other', before].map((cta_label) => ({ id: contact, cta_label }));
		const { items } = await run(rows, skip, true);
		expect(statusesOf(items)).toEqual([status, 'updated']);
		expect(stored(contact).cta_label).toBe(before);
	});
});
