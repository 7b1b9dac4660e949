import { randomUUID } from 'node:crypto';
import type { ResourceMapperFields } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { answer, demoForms, redirect } from '../../service/index.mts';
import { locator, n8nFor } from '../harness.mts';
import { running, withWorld, type World } from '../world.mts';

const { service, n8n } = await running();

/** A service that lists these forms. */
const listing = async (forms: object[], work: (world: World) => Promise<void>) =>
	await withWorld(async (world) => {
		const body = JSON.stringify({ success: true, data: forms });
		const match = { path: /^\/forms$/ };
		world.service.faults.set({ fault: answer(200, 'application/json', body), match });
		await work(world);
	});

describe('the list of forms', () => {
	it('has every form by name, and marks a closed one', async () => {
		const { results } = await n8n.searchForms();
		expect(results.map(({ name }) => name)).toEqual([
			'Contact',
			'Customer Survey',
			'Job Application',
			'Newsletter Sign-up',
			'Summer Event\u00a0(closed)',
		]);
		expect(results[0].value).toBe(demoForms.contact);
	});

	it.each([
		['survey', [demoForms.survey]],
		[' CONTACT ', [demoForms.contact]],
		[demoForms.event.toLowerCase(), [demoForms.event]],
		['nothing like it', []],
	])('finds %j in names and IDs', async (filter, found) => {
		const { results } = await n8n.searchForms(filter);
		expect(results.map(({ value }) => value)).toEqual(found);
	});

	it('tells forms of one name apart by their IDs', async () => {
		await withWorld(async (world) => {
			const forms = ['Again', 'Again'].map((name) => world.service.store.addForm({ name }));
			const ids = forms.map(({ id }) => id).toSorted();
			const { results } = await world.n8n.searchForms('again');
			const listed = results.map(({ name, value }) => [value, name]).toSorted();
			expect(listed).toEqual(ids.map((id) => [id, `Again (${id})`]));
			expect((await world.n8n.searchForms(ids[0])).results).toMatchObject([
				{ name: `Again (${ids[0]})`, value: ids[0] },
			]);
		});
	});

	it('gives the ID that the service asks for, also of a form that has a UUID beside it', async () => {
		const form = {
			id: 'aB3xY9',
			uuid: randomUUID(),
			name: 'Two',
			fields: [{ uuid: 'f1', label: 'A' }],
		};
		await listing([form], async (world) => {
			const { results } = await world.n8n.searchForms();
			expect(results).toEqual([{ name: 'Two', value: 'aB3xY9' }]);
			const { fields } = await world.n8n.getFormFields('aB3xY9');
			expect(fields).toMatchObject([{ uuid: 'f1' }]);
			const get = { resource: 'form', operation: 'get', formId: locator('aB3xY9') };
			expect((await world.n8n.runNode(get)).items).toMatchObject([{ json: form }]);
		});
	});

	it.each([
		['https://forms.example.com/f/<id>', 1],
		['http://127.0.0.1:4010/app/forms/<id>/edit?tab=2#top', 1],
		['https://forms.example.com/<id>x', 0],
		['https://forms.example.com/?form=<id>', 0],
	])('finds the form of the pasted URL %s: %d', async (url, count) => {
		const { results } = await n8n.searchForms(url.replace('<id>', demoForms.survey));
		expect(results.map(({ value }) => value)).toEqual(Array(count).fill(demoForms.survey));
	});

	it('leaves out a form whose ID n8n would evaluate', async () => {
		const fields = [{ uuid: '={{ 1 }}' }, { uuid: 'f1', label: 'A' }];
		const forms = [
			{ id: '={{ $env.SECRET }}', name: 'Bad' },
			{ id: 'aB3xY9', name: 'Good', fields },
		];
		await listing(forms, async (world) => {
			const { results } = await world.n8n.searchForms();
			expect(results).toEqual([{ name: 'Good', value: 'aB3xY9' }]);
			const { fields: shown } = await world.n8n.getFormFields('aB3xY9');
			expect(shown).toMatchObject([{ uuid: 'f1' }]);
		});
	});

	it('costs one request, however fast a person types', async () => {
		await withWorld(async (world) => {
			const { searchForms, getFormFields } = world.n8n;
			await Promise.all(['s', 'su', 'sur'].map(async (filter) => await searchForms(filter)));
			await searchForms('surv');
			await getFormFields(demoForms.survey);
			expect(world.service.requests.map(({ path }) => path)).toEqual(['/forms']);
		});
	});

	it('never lets the name of a form be an expression', async () => {
		await withWorld(async (world) => {
			const fields = [{ label: '={{ 1 + 1 }}' }];
			world.service.store.addForm({ name: '={{ $env.SECRET }}', fields });
			const { results } = await world.n8n.searchForms('SECRET');
			expect(results.map(({ name }) => name)).toEqual([' ={{ $env.SECRET }}']);
			const { fields: shown } = await world.n8n.getFormFields(String(results[0].value));
			expect(shown.map(({ displayName }) => displayName)).toEqual([' ={{ 1 + 1 }}']);
		});
	});
});

describe('the fields for a new response', () => {
	it('stand by label, with their kind, the required ones marked', async () => {
		const { fields } = await n8n.getFormFields(demoForms.application);
		expect(fields.map(({ displayName, type, required }) => [displayName, type, required])).toEqual([
			['Name', 'string', true],
			['Email', 'string', true],
			['Earliest start', 'dateTime', false],
			['Portfolio', 'string', false],
			['File URL: CV', 'url', false],
		]);
	});

	it('are asked for by form where the list of forms does not have it', async () => {
		const { id } = service.store.addForm({ name: 'New', fields: [{ label: 'Only' }] });
		const { fields } = await n8n.getFormFields(id);
		expect(fields.map(({ displayName }) => displayName)).toEqual(['Only']);
	});

	it('say why they could not be loaded, and drop none of those that are there', async () => {
		await withWorld(async (world) => {
			world.service.faults.set({ fault: 'forbidden' });
			expect(await world.n8n.getFormFields(demoForms.contact)).toEqual({
				fields: [],
				emptyFieldsNotice: expect.stringMatching(/^The fields of the form could not .*403/),
			});
			const before = (await n8n.getFormFields(demoForms.contact)).fields;
			const again = async (formId: string) =>
				await world.n8n.callMethod('resourceMapping', 'getFormFields', {
					formId: locator(formId),
					fields: { mappingMode: 'defineBelow', value: {}, schema: before } as never,
				});
			expect(await again(demoForms.contact)).toMatchObject({ fields: before });
			expect(await again(demoForms.survey)).toMatchObject({ fields: [] });
		});
	});

	it('bring no notice where there are some, since the editor shows it in automatic mapping too', async () => {
		expect(await n8n.getFormFields(demoForms.contact)).not.toHaveProperty('emptyFieldsNotice');
		const { id } = service.store.addForm({ name: 'Bare', fields: [] });
		expect(await n8n.getFormFields(id)).toEqual({
			fields: [],
			emptyFieldsNotice: 'This form has no fields that take an answer.',
		});
	});

	it('keep their IDs when they are renamed, so that the editor keeps what is mapped', async () => {
		const { id } = service.store.addForm({ name: 'Renamed', fields: [{ label: 'Name' }] });
		const { fields: before } = await n8n.getFormFields(id);
		service.store.renameField(service.store.fields(id)[0].uuid, 'Full name');
		await withWorld(async (world) => {
			const [{ uuid }] = service.store.fields(id);
			world.service.store.addForm({ name: 'Renamed', id, fields: [{ uuid, label: 'Full name' }] });
			const mapper = { mappingMode: 'defineBelow', value: {}, schema: before } as never;
			const given = { formId: locator(id), fields: mapper };
			const method = 'getFormFields';
			const { fields } = await world.n8n.callMethod<ResourceMapperFields>(
				'resourceMapping',
				method,
				given,
			);
			expect(fields).toMatchObject([{ id: 'Name', displayName: 'Full name' }]);
		});
	});

	it('wait for a form to be chosen', async () => {
		expect(await n8n.getFormFields('')).toEqual({
			fields: [],
			emptyFieldsNotice: 'Choose a form first.',
		});
	});
});

describe('the test of the credential', () => {
	it('is fine with a token that the service takes', async () => {
		expect(await n8n.testCredential()).toMatchObject({ status: 'OK' });
	});

	it('follows no redirect, and names the Base URL to enter instead', async () => {
		await withWorld(async (world) => {
			world.service.faults.set({ fault: redirect('https://elsewhere.example/api/v1/workspace') });
			expect(await world.n8n.testCredential()).toMatchObject({
				status: 'Error',
				message: expect.stringContaining(
					"Enter https://elsewhere.example/api/v1 as the 'Base URL'",
				),
			});
		});
	});

	it('tells a token that is refused', async () => {
		const result = await n8nFor({ accessToken: 'wrong', baseUrl: service.url }).testCredential();
		expect(result).toMatchObject({ status: 'Error', message: expect.stringMatching(/token/i) });
	});
});
