import { randomUUID } from 'node:crypto';
import type { ResourceMapperFields } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms, redirect, success } from '../../service/index.mts';
import { locator, n8nFor, type N8n } from '../harness.mts';
import { createWorld, running } from '../world.mts';

const { service, n8n } = await running();
const { contact, survey, event } = demoForms;

/** An n8n with an account of a service that lists these forms. */
async function listForms(...forms: object[]): Promise<N8n> {
	const world = await createWorld();
	world.service.faults.set({ fault: success(forms), match: { path: /^\/forms$/ } });
	return world.n8n;
}

describe('The list of forms', () => {
	it('has every form by name, and marks a closed one', async () => {
		const { results } = await n8n.searchForms();
		expect(results.map(({ name }) => name)).toEqual([
			...['Contact', 'Customer Survey', 'Job Application', 'Newsletter Sign-up'],
			'Summer Event\u00a0(closed)',
		]);
		expect(results[0].value).toBe(contact);
	});

	it.each([
		['survey', [survey]],
		[' CONTACT ', [contact]],
		[event.toLowerCase(), [event]],
		['nothing like it', []],
		[`https://forms.example.com/f/${survey}`, [survey]],
		[`http://127.0.0.1:4010/app/forms/${survey}/edit?tab=2#top`, [survey]],
		[`https://forms.example.com/${survey}x`, []],
		[`https://forms.example.com/?form=${survey}`, []],
	])('finds %j in names, in IDs and in the path of a pasted URL', async (filter, found) => {
		const { results } = await n8n.searchForms(filter);
		expect(results.map(({ value }) => value)).toEqual(found);
	});

	it('tells forms of one name apart by their IDs', async () => {
		const forms = ['a1', 'a2'].map((id) => ({ id, name: 'Again' }));
		const own = await listForms(...forms, { id: 'a3', name: 'Once' });
		const { results } = await own.searchForms();
		expect(results.map(({ name }) => name)).toEqual(['Again (a1)', 'Again (a2)', 'Once']);
	});

	it('has the ID of a form, and not the UUID beside it', async () => {
		const fields = [{ uuid: 'f1', label: 'A' }];
		const form = { id: 'aB3xY9', uuid: randomUUID(), name: 'Two', fields };
		const own = await listForms(form);
		const { results } = await own.searchForms();
		expect(results).toEqual([{ name: 'Two', value: 'aB3xY9' }]);
		const { fields: shown } = await own.getFormFields('aB3xY9');
		expect(shown).toMatchObject([{ uuid: 'f1' }]);
		const get = { resource: 'form', operation: 'get', formId: locator('aB3xY9') };
		expect((await own.runNode(get)).items).toMatchObject([{ json: form }]);
	});

	it('links to the page of a form, if the service gives its address', async () => {
		const url = 'https://forms.example.com/contact-us';
		const good = { id: 'aB3xY9', name: 'Contact', url };
		const bad = { id: 'cD4zW0', name: 'Other', url: 'javascript:alert(1)' };
		const own = await listForms(good, bad);
		const { results } = await own.searchForms();
		expect(results).toEqual([
			{ name: 'Contact', value: 'aB3xY9', url },
			{ name: 'Other', value: 'cD4zW0' },
		]);
		expect((await own.searchForms(url)).results).toHaveLength(1);
	});

	it('has no name or ID that n8n would evaluate as an expression', async () => {
		const fields = [
			{ uuid: '={{ 1 }}', label: 'Bad' },
			{ uuid: 'f1', label: '={{ 1 + 1 }}' },
		];
		const good = { id: 'aB3xY9', name: '={{ $env.SECRET }}', fields };
		const own = await listForms({ id: '={{ $env.SECRET }}', name: 'Bad' }, good);
		const { results } = await own.searchForms();
		expect(results).toEqual([{ name: ' ={{ $env.SECRET }}', value: 'aB3xY9' }]);
		const { fields: shown } = await own.getFormFields('aB3xY9');
		expect(shown).toMatchObject([{ uuid: 'f1', displayName: ' ={{ 1 + 1 }}' }]);
		expect(shown).toHaveLength(1);
	});
});

describe('The fields for a new response', () => {
	/** The fields that a mapper shows that has loaded these before. */
	const reload = async (own: N8n, formId: string, schema: ResourceMapperFields['fields']) => {
		const mapper = { mappingMode: 'defineBelow', value: {}, schema } as never;
		const given = { formId: locator(formId), fields: mapper };
		const method = 'getFormFields';
		return await own.callMethod<ResourceMapperFields>('resourceMapping', method, given);
	};

	it('stay as they are if they cannot be loaded, and a notice says why', async () => {
		const { fields } = await n8n.getFormFields(contact);
		const world = await createWorld();
		world.service.faults.set({ fault: 'forbidden' });
		const emptyFieldsNotice = expect.stringMatching(/^The fields of the form could not .*403/);
		expect(await reload(world.n8n, contact, fields)).toEqual({ fields, emptyFieldsNotice });
		// not those of another form
		expect(await reload(world.n8n, survey, fields)).toEqual({ fields: [], emptyFieldsNotice });
	});

	it('come with a notice only if there are none', async () => {
		expect(await n8n.getFormFields(contact)).not.toHaveProperty('emptyFieldsNotice');
		expect((await n8n.getFormFields('')).emptyFieldsNotice).toBe('Choose a form first.');
		const { id } = service.store.addForm({ name: 'Bare', fields: [] });
		const emptyFieldsNotice = 'This form has no fields that take an answer.';
		expect(await n8n.getFormFields(id)).toEqual({ fields: [], emptyFieldsNotice });
	});

	it('keep their IDs when they are renamed, so that the editor keeps what is mapped', async () => {
		const { fields } = await n8n.getFormFields(contact);
		const [{ uuid }] = service.store.fields(contact);
		const renamed = { id: contact, fields: [{ uuid, label: 'Full name' }] };
		const own = await listForms(renamed);
		const shown = (await reload(own, contact, fields)).fields;
		expect(shown).toMatchObject([{ id: 'Name', displayName: 'Full name' }]);
	});
});

describe('The test of the credential', () => {
	it('follows no redirect, and names the Base URL to enter instead', async () => {
		const world = await createWorld();
		world.service.faults.set({ fault: redirect('https://elsewhere.example/api/v1/workspace') });
		const advice = "Enter https://elsewhere.example/api/v1 as the 'Base URL'";
		const message = expect.stringContaining(advice);
		expect(await world.n8n.testCredential()).toMatchObject({ status: 'Error', message });
	});

	it("advises the address without its path for a page's address", async () => {
		const baseUrl = `${service.url}/f/${contact}`;
		const { message } = await n8nFor({ accessToken: service.token, baseUrl }).testCredential();
		expect(message).toContain(`If it is the address of a page, enter ${service.url}.`);
	});

	it('accepts a token that the service accepts, and no other', async () => {
		expect(await n8n.testCredential()).toMatchObject({ status: 'OK' });
		const wrong = n8nFor({ accessToken: 'wrong', baseUrl: service.url });
		const message = expect.stringMatching(/access token/);
		expect(await wrong.testCredential()).toMatchObject({ status: 'Error', message });
	});
});
