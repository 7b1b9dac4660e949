import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms } from '../../service/index.mts';
import { itemsOf, locator } from '../harness.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();
const fields = { resource: 'field', operation: 'getAll' };
const byUrl = (value: string) => ({ __rl: true, mode: 'url', value }) as unknown as INodeParameters;
const fromList = (value: string, cachedResultName: string) =>
	({ __rl: true, mode: 'list', value, cachedResultName }) as unknown as INodeParameters;

describe('Form: By URL', () => {
	it.each([
		'https://forms.example.com/f/<id>',
		'http://127.0.0.1:4010/app/forms/<id>/edit?tab=2#top',
		'https://forms.example.com/<id>',
		' https://forms.example.com/<id>/ ',
	])('takes the form of %s', async (url) => {
		const formId = byUrl(url.replace('<id>', demoForms.contact));
		const { items, error } = await n8n.runNode({ ...fields, formId });
		expect(error).toBeUndefined();
		expect(items).toHaveLength(4);
		expect(service.requests.map(({ path }) => path)).toEqual([
			`/forms/${demoForms.contact}/fields`,
		]);
	});

	it('stops at a URL without an ID before anything is sent', async () => {
		const { error } = await n8n.runNode({ ...fields, formId: byUrl('https://forms.example.com') });
		expect(error?.message).toBe("'Form' is not a valid ID");
		expect(error?.description).toContain("This URL does not contain a form's ID.");
		expect(service.requests).toEqual([]);
	});
});

describe('Form: By ID', () => {
	it('takes the form of a pasted URL', async () => {
		const formId = locator(`https://forms.example.com/f/${demoForms.contact}`);
		const { items } = await n8n.runNode({ ...fields, formId });
		expect(items).toHaveLength(4);
	});

	it.each(['Customer Survey', 'customer survey', 'Contact'])(
		'answers the name %j with the ID of the form',
		async (name) => {
			const { error } = await n8n.runNode({ ...fields, formId: locator(name) });
			const id = /contact/i.test(name) ? demoForms.contact : demoForms.survey;
			expect(error?.description).toMatch(new RegExp(`The ID of the form ".+" is ${id}`));
			expect(service.requests.filter(({ path }) => path === '/forms')).toHaveLength(1);
		},
	);

	it('answers the names in several rows of a sheet, with one request for all', async () => {
		const update = {
			resource: 'settings',
			operation: 'update',
			formId: locator('={{ $json.form }}'),
			inputMode: 'auto',
		};
		const rows = itemsOf(
			{ form: 'Customer Survey', Closed: 'no' },
			{ form: 'Job Application', Closed: 'no' },
		);
		const { error } = await n8n.runNode(update, rows);
		expect(error?.description).toContain(`is ${demoForms.survey}. Enter that ID.`);
		expect(error?.description).toContain(`is ${demoForms.application}. Enter that ID.`);
		expect(service.requests.map(({ path }) => path)).toEqual(['/forms']);
	});

	it('does not ask for names where the ID is just unknown', async () => {
		const { error } = await n8n.runNode({ ...fields, formId: locator('aB3xY0') });
		expect(error).toMatchObject({ httpCode: '404' });
		expect(service.requests).toHaveLength(1);
	});
});

describe('a form that was chosen from the list and deleted since', () => {
	const settings = { resource: 'settings', operation: 'update', settings: { seo_title: 'x' } };
	const operations: INodeParameters[] = [
		{ resource: 'form', operation: 'get' },
		fields,
		{ resource: 'response', operation: 'getAll' },
		settings,
		{ ...settings, options: { preview: true } },
	];

	it.each(operations)('is named, with what to do, by %j', async (parameters) => {
		const formId = fromList('gone42', 'Summer Party');
		const { error } = await n8n.runNode({ ...parameters, formId });
		expect(error).toMatchObject({
			message: 'The form "Summer Party" no longer exists',
			description: expect.stringMatching(/Choose the form again\.$/),
		});
	});
});
