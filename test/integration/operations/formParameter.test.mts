import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms } from '../../service/index.mts';
import { itemsOf, locator } from '../harness.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();
const { contact, survey, application } = demoForms;
const fields = { resource: 'field', operation: 'getAll' };
const settings = { resource: 'settings', operation: 'update', settings: { seo_title: 'x' } };
const paths = () => service.requests.map(({ path }) => path);

describe.each(['url', 'id'])('Form by its URL, with the mode %s', (mode) => {
	const locate = (value: string) => ({ ...locator(value), mode }) as INodeParameters;

	it.each([
		'https://forms.example.com/f/<id>',
		'http://127.0.0.1:4010/app/forms/<id>/edit?tab=2#top',
		'https://forms.example.com/<id>',
		' https://forms.example.com/<id>/ ',
	])('is the form of %s', async (url) => {
		const formId = locate(url.replace('<id>', contact));
		const { items, error } = await n8n.runNode({ ...fields, formId });
		expect(error).toBeUndefined();
		expect(items).toHaveLength(4);
		expect(paths()).toEqual([`/forms/${contact}/fields`]);
	});

	it('is an error before anything is sent, if the URL has no ID', async () => {
		const formId = locate('https://forms.example.com');
		const { error } = await n8n.runNode({ ...fields, formId });
		expect(error?.message).toBe("'Form' is not a valid ID");
		expect(error?.description).toContain("This URL does not contain a form's ID.");
		expect(service.requests).toEqual([]);
	});
});

describe("A form's name in place of its ID", () => {
	it.each([
		['Customer Survey', survey],
		['customer survey', survey],
		['Contact', contact],
	])('%s is answered with the ID', async (name, id) => {
		const { error } = await n8n.runNode({ ...fields, formId: locator(name) });
		expect(error?.description).toMatch(new RegExp(`The ID of the form ".+" is ${id}`));
		expect(paths().filter((path) => path === '/forms')).toHaveLength(1);
	});

	it('in several rows is answered with one request', async () => {
		const rows = ['Customer Survey', 'Job Application'].map((form) => ({ form }));
		const formId = locator('={{ $json.form }}');
		const { error } = await n8n.runNode({ ...settings, formId }, itemsOf(...rows));
		expect(error?.description).toContain(`is ${survey}. Enter that ID.`);
		expect(error?.description).toContain(`is ${application}. Enter that ID.`);
		expect(paths()).toEqual(['/forms']);
	});

	it('is not looked for, if the ID is just unknown', async () => {
		const { error } = await n8n.runNode({ ...fields, formId: locator('aB3xY0') });
		expect(error).toMatchObject({ httpCode: '404' });
		expect(service.requests).toHaveLength(1);
	});
});

it.each<INodeParameters>([
	{ resource: 'form', operation: 'get' },
	fields,
	{ resource: 'response', operation: 'getAll' },
	settings,
	{ ...settings, options: { preview: true } },
])('%j names a form that was chosen from the list and deleted since', async (parameters) => {
	const formId = { ...locator('gone42', 'list'), cachedResultName: 'Summer Party' };
	const { error } = await n8n.runNode({ ...parameters, formId });
	expect(error).toMatchObject({
		message: 'The form "Summer Party" no longer exists',
		description: expect.stringMatching(/Choose the form again\.$/),
	});
});
