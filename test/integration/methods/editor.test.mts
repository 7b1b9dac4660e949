import type {
	IDataObject,
	INodeListSearchResult,
	INodeParameters,
	INodePropertyOptions,
} from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms, success, type Fault, type FaultName } from '../../service/index.mts';
import { locator, n8nFor, time } from '../harness.mts';
import { credentialType } from '../n8n/built.mts';
import { createWorld, pathsOf, running } from '../world.mts';

/** What the editor lists and maps, and the credential. */

const { service, n8n } = await running();
const { event } = demoForms;

/** An n8n with an account of a service that lists these forms, and the fields of the last one. */
async function listForms(...forms: IDataObject[]) {
	const { service: own, n8n } = await createWorld();
	own.faults.set({ fault: success(forms), match: { path: /^\/forms$/ } });
	own.faults.set({ fault: success(forms.at(-1)!.fields), match: { path: /fields$/ } });
	return n8n;
}

describe('The list of forms', () => {
	it('is sorted by name, searched by name and ID, and tells equal names apart', async () => {
		const again = ['a1', 'a2'].map((id) => ({ id, name: 'Again' }));
		const once = { id: 'a3', name: 'Once' };
		const own = await listForms(...again, once, { id: 'a4', name: ' ' }, { id: 'a5' });
		const listNames = async (filter?: string) =>
			(await own.searchForms(filter)).results.map(({ name }) => name);
		const all = ['a4', 'a5', 'Again (a1)', 'Again (a2)', 'Once'];
		expect(await listNames()).toEqual(all);
		expect(await listNames(' AGAIN ')).toEqual(['Again (a1)', 'Again (a2)']);
		expect(await listNames('A1')).toEqual(['Again (a1)']);
		const { results } = await own.searchForms();
		expect(await own.callMethod('loadOptions', 'getForms')).toEqual(results);
	});

	it.each<[string, FaultName | undefined, number]>([
		['one request', undefined, 1],
		['four tries while Form Service is in trouble', 'unavailable', 4],
	])('costs %s in half a minute of typing', async (_what, fault, requests) => {
		const { service, n8n } = await createWorld();
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

	it('is kept for its account alone', async () => {
		await n8n.searchForms();
		const other = n8nFor({ accessToken: 'another', baseUrl: service.url });
		// n8n's editor links to the credential for this status
		await expect(other.searchForms()).rejects.toMatchObject({ httpCode: '401' });
	});
});

describe('The list of responses', () => {
	const search = async (formId: string, ...filter: string[]) => {
		const given = { resource: 'response', operation: 'get', formId: locator(formId) };
		const method = 'searchResponses';
		return await n8n.callMethod<INodeListSearchResult>('listSearch', method, given, ...filter);
	};
	const namesIn = ({ results }: INodeListSearchResult) => results.map(({ name }) => name);

	it("has the newest first, with the time in n8n's zone, without answers", async () => {
		const records = [
			{ uuid: 'a', number: 7, created_at: '2026-11-22 00:43:10', is_incomplete: 1 },
			{ uuid: 'd', number_formatted: 'S-8', created_at: '2026-11-22T12:00:00Z' },
			...[{ uuid: 'b' }, { uuid: 'c/d' }, { uuid: 'e', number: '=1' }],
		];
		service.faults.set({ fault: success(records), match: { path: /^\/responses\// } });
		const names = ['S-8 · 2026-11-22 07:00', '7 · 2026-11-21 19:43 (incomplete)', 'b', ' =1'];
		expect(namesIn(await search('odd'))).toEqual(names);
	});

	it('finds responses by their IDs and answers, and shows the answer that it has found', async () => {
		const fields = [{ label: 'Name' }, { label: 'Comment' }];
		const { id } = service.store.addForm({ name: 'Searched', fields });
		const Comment = `Lovely ${'👍🏽'.repeat(40)}`;
		const { uuid } = service.store.addResponse(id, { answers: { Name: 'Ada', Comment } });
		const url = `https://forms.example.com/f/${id}`;
		const findNames = async (filter: string) => namesIn(await search(url, filter));
		expect(await findNames(' ada')).toEqual([expect.stringMatching(/^1 · [-0-9]+ [:0-9]+ · Ada$/)]);
		// 13 of 40, each of four code units, none of them broken
		expect((await findNames('LOVE'))[0]).toMatch(/ · Lovely (👍🏽){13}…$/u);
		expect((await findNames(uuid.toUpperCase()))[0]).toMatch(/ [:0-9]+$/);
		expect(await findNames('nothing like it')).toEqual([]);
		expect(service.requests).toHaveLength(1);
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
	it('have unique names, with what a user must know, and choices', async () => {
		const own = await listForms({
			id: 'a',
			fields: [
				{ uuid: '={{ 1 }}', label: 'Evaluated' },
				{ uuid: 'a', label: 'A', mandatory: '1' },
				{ uuid: 'b', name: 'B', required: true, type: 'checkboxes', options: ['X'] },
				{ uuid: 'c', label: 'A', required: '0' },
				{ id: 3, label: ' ' },
				{ uuid: 'd', label: '={{ 1 }}', type: 'file' },
				{ uuid: 'e', label: 'Size', type: 'dropdown', options: ['M', { label: '=L', value: 2 }] },
				{ uuid: 'f', label: 'Any', type: 'select', options: ['={{ 1 }}'] },
			],
		});
		const { fields } = await own.getFormFields('a');
		expect(fields.map(({ displayName, type }) => `${displayName} ${type}`)).toEqual([
			...['A (required) string', 'B (required, one or more) options', 'A (2) string'],
			...['Untitled string', ' ={{ 1 }} (file URL) url', 'Size options', 'Any string'],
		]);
		expect(fields.filter(({ required }) => required).map(({ id }) => id)).toEqual(['a', 'b']);
		// n8n would evaluate a name or a value that starts with "="
		const choices = fields.slice(-2).map(({ options }) => options?.map(({ name }) => name));
		expect(choices).toEqual([['M', ' =L'], undefined]);
	});
});

describe('The list of fields for a condition', () => {
	const ATTRIBUTES = ['created_at', 'is_incomplete', 'number', 'referrer'];

	it.each<[INodeParameters, string[]]>([
		[{ formId: locator('a') }, ['a1', 'a2']],
		[{ watch: 'several', formIds: ['a', 'b'] }, ['Email', 'Size', 'Age']],
		[{ watch: 'all', exceptFormIds: ['b'] }, ['Email', 'Size']],
	])('has for %j the fields %j and the attributes', async (parameters, values) => {
		const { service: own, n8n } = await createWorld({ seed: false });
		const size = { uuid: 'a2', label: 'Size', type: 'dropdown', options: ['M', 'L'] };
		const ofA = [{ uuid: 'a1', label: 'Email' }, size];
		own.store.addForm({ id: 'a', name: 'A', fields: ofA });
		own.store.addForm({ id: 'b', name: 'B', fields: [{ label: 'email ' }, { label: 'Age' }] });
		const method = 'getConditionFields';
		const options = await n8n.callMethod<INodePropertyOptions[]>('loadOptions', method, parameters);
		const attributes = ATTRIBUTES.map((name) => `attribute:${name}`);
		expect(options.map(({ value }) => value)).toEqual([...values, ...attributes]);
		const described = options.find(({ name }) => name === 'Size');
		if (described) expect(described.description).toBe('Choices: M, L');
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
