import { randomUUID } from 'node:crypto';
import type { IDataObject, INodeListSearchResult } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms, redirect, success, type Fault, type FaultName } from '../../service/index.mts';
import { locator, n8nFor, time, type N8n } from '../harness.mts';
import { credentialType } from '../n8n/package.mts';
import { AT_ONCE, createWorld, pathsOf, running } from '../world.mts';

const { service, n8n } = await running();
const { contact, survey, event } = demoForms;

/** An n8n with an account of a service that lists these forms, and the fields of the last one. */
async function listForms(...forms: IDataObject[]): Promise<N8n> {
	const { service: own, n8n } = await createWorld();
	own.faults.set({ fault: success(forms), match: { path: /^\/forms$/ } });
	own.faults.set({ fault: success(forms.at(-1)!.fields), match: { path: /fields$/ } });
	return n8n;
}

describe('The list of forms', () => {
	it('is sorted by name, searched by name and ID, marks closed forms, and tells equal names apart', async () => {
		const forms = ['a1', 'a2'].map((id) => ({ id, uuid: randomUUID(), name: 'Again' }));
		const once = { id: 'a3', name: 'Once', is_closed: '1' };
		const own = await listForms(...forms, once, { id: 'a4', name: ' ' }, { id: 'a5' });
		const listNames = async (filter?: string) =>
			(await own.searchForms(filter)).results.map(({ name }) => name);
		const all = ['a4', 'a5', 'Again (a1)', 'Again (a2)', 'Once\u00a0(closed)'];
		expect(await listNames()).toEqual(all);
		expect(await listNames(' AGAIN ')).toEqual(['Again (a1)', 'Again (a2)']);
		expect(await listNames('A1')).toEqual(['Again (a1)']);
		expect(await listNames('nothing like it')).toEqual([]);
		const { results } = await own.searchForms();
		expect(await own.callMethod('loadOptions', 'getForms')).toEqual(results);
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
		expect(shown).toMatchObject([{ id: 'f1', displayName: ' ={{ 1 + 1 }}' }]);
		expect(shown).toHaveLength(1);
	});
});

it.each<[string, FaultName | undefined, number]>([
	['one request', undefined, 1],
	['four tries while Form Service is in trouble', 'unavailable', 4],
])('Typing into the list of forms costs %s in half a minute', async (_what, fault, requests) => {
	const { service, n8n } = await createWorld(AT_ONCE);
	if (fault) service.faults.set({ fault });
	const type = async (text: string) => await n8n.searchForms(text).catch(() => undefined);
	await Promise.all([type('s'), type('su')]);
	await time.sleep(29_000);
	await type('sur');
	expect(pathsOf(service.requests)).toEqual(Array(requests).fill('/forms'));
	await time.sleep(2_000);
	await type('surv');
	expect(service.requests).toHaveLength(2 * requests);
});

it('The fields of a form cost one more request than its list, which no other account gets', async () => {
	const { service, n8n } = await createWorld();
	await n8n.searchForms();
	await Promise.all([n8n.getFormFields(contact), n8n.getFormFields(contact)]);
	expect(pathsOf(service.requests)).toEqual(['/forms', `/forms/${contact}/fields`]);
	const other = n8nFor({ accessToken: 'another', baseUrl: service.url });
	await expect(other.searchForms()).rejects.toMatchObject({
		// n8n's editor links to the credential for this status
		httpCode: '401',
		message: 'Form Service rejected the access token',
		description: 'Enter a valid access token in the Form Service credential.',
	});
});

describe('The list of responses', () => {
	const get = { resource: 'response', operation: 'get' };
	const search = async (formId: string, ...filter: string[]) => {
		const given = { ...get, formId: locator(formId) };
		const method = 'searchResponses';
		return await n8n.callMethod<INodeListSearchResult>('listSearch', method, given, ...filter);
	};

	it('has the newest first, without their answers as long as none is searched', async () => {
		Object.assign(service.shapes, { order: 'asc' });
		const { results } = await search(survey);
		const names = results.map(({ name }) => name.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/, 'time'));
		expect(names).toEqual(['S-2 · time', 'S-1 · time']);
	});

	it("has the time in n8n's zone, the number or ID, and marks an incomplete response", async () => {
		const times = { created_at: '2026-11-22 00:43:10', is_incomplete: 1 };
		const others = [{ uuid: 'b' }, { uuid: 'c/d' }, { uuid: 'e', number: '=1' }];
		const records = [{ uuid: 'a', number: 7, ...times }, ...others];
		service.faults.set({ fault: success(records), match: { path: /^\/responses\// } });
		const { id } = service.store.addForm({ name: 'Odd', fields: [] });
		const { results } = await search(id);
		const names = results.map(({ name }) => name);
		expect(names).toEqual(['7 · 2026-11-21 19:43 (incomplete)', 'b', ' =1']);
	});

	it('finds responses by their answers and IDs, with one request, also if Form has a URL', async () => {
		const { uuid } = service.store.responses(contact)[0];
		const url = `https://forms.example.com/f/${contact}`;
		for (const text of [' ADA LOVELACE', uuid.toUpperCase()])
			expect((await search(url, text)).results).toHaveLength(1);
		expect((await search(contact, 'nothing like it')).results).toEqual([]);
		expect(service.requests).toHaveLength(1);
	});

	it('shows the answer that a search has found, and no other', async () => {
		const fields = [{ label: 'Name' }, { label: 'Comment' }];
		const { id } = service.store.addForm({ name: 'Searched', fields });
		const Comment = `Lovely ${'👍🏽'.repeat(40)}`;
		const { uuid } = service.store.addResponse(id, { answers: { Name: 'Ada', Comment } });
		const findName = async (filter: string) => (await search(id, filter)).results[0].name;
		expect(await findName(' ada')).toMatch(/^1 · [-0-9]+ [:0-9]+ · Ada$/);
		// 13 of 40, each of four code units, none of them broken
		expect(await findName('LOVE')).toMatch(/ · Lovely (👍🏽){13}…$/u);
		expect(await findName(uuid)).toMatch(/ [:0-9]+$/);
	});

	it('is empty before a form is chosen, and shows 100, but is searched whole', async () => {
		expect((await search('')).results).toEqual([]);
		expect(service.requests).toEqual([]);
		for (let count = 0; count < 110; count++) service.store.addResponse(event);
		expect((await search(event)).results).toHaveLength(100);
		const [{ uuid }] = service.store.responses(event);
		expect((await search(event, uuid)).results).toHaveLength(1);
	});
});

describe('The fields for a new response', () => {
	it('stay as they are if they cannot be loaded, and a notice says why', async () => {
		const { fields } = await n8n.getFormFields(contact);
		const mapper = { mappingMode: 'defineBelow', value: {}, schema: fields } as never;
		const given = { formId: locator(contact), fields: mapper };
		const world = await createWorld();
		world.service.faults.set({ fault: 'forbidden' });
		const emptyFieldsNotice = expect.stringMatching(/^The fields of the form could not .*403/);
		const shown = await world.n8n.callMethod('resourceMapping', 'getFormFields', given);
		expect(shown).toEqual({ fields, emptyFieldsNotice });
	});

	it('come with a notice if no form is chosen', async () => {
		expect((await n8n.getFormFields('')).emptyFieldsNotice).toBe('Choose a form first.');
	});
});

describe('The test of the credential', () => {
	it('names the workspace, which it reads with one request', async () => {
		const message = 'Connected to the workspace "Demo Workspace"';
		expect(await n8n.testCredential()).toEqual({ status: 'OK', message });
		expect(service.requests).toMatchObject([{ method: 'GET', path: '/workspace' }]);
	});

	it.each<[string, Fault | FaultName, RegExp]>([
		['a service that is silent', 'silentBefore', / did not reply in time\. Try again later\./],
		['a redirect to the login page', redirect('/login'), /rejected the access token\. Enter a /],
		['a rejected token', 'unauthorized', /access token\. Enter a valid access token in /],
		[
			'another service',
			success({ title: 'A' }),
			/ is not the address of a Form Service\. The reply was no workspace\. Check/,
		],
	])('explains %s, without trying again', async (_what, fault, message) => {
		service.faults.set({ fault });
		const begun = time.now();
		const tested = await n8n.testCredential();
		expect(tested).toEqual({ status: 'Error', message: expect.stringMatching(message) });
		expect(time.now() - begun).toBeLessThan(36_000);
		expect(service.requests).toHaveLength(1);
	});
});

it('The credential hides its token, and asks for JSON where a request of HTTP Request does not', async () => {
	const { authenticate, properties } = credentialType;
	expect(properties[0]).toMatchObject({ name: 'accessToken', typeOptions: { password: true } });
	if (typeof authenticate !== 'function') throw new Error('It signs no requests');
	const sign = async (headers: IDataObject) => {
		const options = { url: service.url, headers: { ...headers, Authorization: 'Basic x' } };
		return (await authenticate({ accessToken: ' a-token\n' }, options)).headers;
	};
	const Authorization = 'Bearer a-token';
	expect(await sign({})).toEqual({ Accept: 'application/json', Authorization });
	expect(await sign({ Accept: '*/*' })).toEqual({ Accept: '*/*', Authorization });
});
