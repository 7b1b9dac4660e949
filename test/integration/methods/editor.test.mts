import { range } from 'lodash';
import type {
	IDataObject,
	INodeListSearchResult,
	INodeParameters,
	INodePropertyOptions,
} from 'n8n-workflow';
import { expect, it } from 'vitest';
import { demoForms, success, type Fault, type FaultName } from '../../service/index.mts';
import { locator, n8nFor, time } from '../harness.mts';
import { authenticate } from '../n8n/built.mts';
import { createWorld, pathsOf, running } from '../world.mts';

/** What the editor lists and maps, and the credential. */

const { service, n8n } = await running();
const { event } = demoForms;
const namesIn = ({ results }: INodeListSearchResult) => results.map(({ name }) => name);

it('The list of forms is sorted by name, searched by name and ID, and tells equal names apart', async () => {
	const named = { a4: ' ', a1: 'Again', a2: 'Again', a3: 'Once', a5: undefined };
	const forms = Object.entries(named).map(([id, name]) => ({ id, name }));
	const { service: own, n8n } = await createWorld();
	own.faults.set({ fault: success(forms) });
	const all = await n8n.searchForms();
	expect(namesIn(all)).toEqual(['a4', 'a5', 'Again (a1)', 'Again (a2)', 'Once']);
	expect(namesIn(await n8n.searchForms(' AGAIN '))).toEqual(['Again (a1)', 'Again (a2)']);
	expect(namesIn(await n8n.searchForms('A1'))).toEqual(['Again (a1)']);
	expect(await n8n.callMethod('getForms')).toEqual(all.results);
});

it.each<[string, FaultName | undefined, number]>([
	['one request', undefined, 1],
	['four tries while Form Service is in trouble', 'unavailable', 4],
])('The list of forms costs %s in half a minute of typing', async (_what, fault, requests) => {
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

it('The list of forms is kept for its account alone', async () => {
	await n8n.searchForms();
	const other = n8nFor({ accessToken: 'another', baseUrl: service.url });
	// n8n's editor links to the credential for this status
	await expect(other.searchForms()).rejects.toMatchObject({ httpCode: '401' });
});

/** Searches the list of responses of a form. */
const search = async (formId: string, ...filter: string[]) => {
	const given = { resource: 'response', operation: 'get', formId: locator(formId) };
	return namesIn(await n8n.callMethod('searchResponses', given, ...filter));
};

it('The list of responses has the newest first, and is searched by ID and answer', async () => {
	const records = [
		{ uuid: 'a', number: 7, created_at: '2026-11-22 00:43:10', is_incomplete: 1 },
		{ uuid: 'd', number_formatted: 'S-8', created_at: '2026-11-22T12:00:00Z' },
		{ uuid: 'b', responses: { Name: 'Ada', Comment: `Lovely ${'👍🏽'.repeat(40)}` } },
		...[{ uuid: 'c/d' }, { uuid: 'e', number: '=1' }],
	];
	service.faults.set({ fault: success(records), match: { path: /^\/responses\// } });
	const find = async (...filter: string[]) => await search('https://host/f/form-odd', ...filter);
	// with the time in n8n's zone, and without answers, because n8n saves the choice
	const names = ['S-8 · 2026-11-22 07:00', '7 · 2026-11-21 19:43 (incomplete)', 'b', ' =1'];
	expect(await find()).toEqual(names);
	expect(await find(' ada')).toEqual(['b · Ada']);
	// 13 of 40, each of four code units, none of them broken
	expect(await find('LOVE')).toEqual([`b · Lovely ${'👍🏽'.repeat(13)}…`]);
	expect(await find('D')).toEqual(['S-8 · 2026-11-22 07:00', 'b · Ada']);
	expect(await find('nothing like it')).toEqual([]);
	expect(pathsOf(service.requests)).toEqual(Array(2).fill('/responses/odd'));
});

it('The list of responses is empty before a form is chosen, and shows 100, but is searched whole', async () => {
	expect(await search('')).toEqual([]);
	expect(service.requests).toEqual([]);
	for (const _count of range(110)) service.store.addResponse(event);
	expect(await search(event)).toHaveLength(100);
	expect(await search(event, service.store.responses(event)[0].uuid)).toHaveLength(1);
});

it('The mapper has unique names, with what a user must know, and choices', async () => {
	const fields = [
		{ uuid: '={{ 1 }}', label: 'Evaluated' },
		{ uuid: 'a', label: 'A', mandatory: '1' },
		{ uuid: 'b', name: 'B', required: true, type: 'checkboxes', options: ['X'] },
		{ uuid: 'c', label: 'A', required: '0' },
		{ id: 3, label: ' ' },
		{ uuid: 'd', label: '={{ 1 }}', type: 'file' },
		{ uuid: 'e', label: 'Size', type: 'dropdown', options: ['M', { label: '=L', value: 2 }] },
		{ uuid: 'f', label: 'Any', type: 'select', options: ['={{ 1 }}'] },
	];
	service.faults.set({ fault: success(fields), match: { path: /fields$/ } });
	const mapped = (await n8n.getFormFields('a')).fields;
	expect(mapped.map(({ displayName, type }) => `${displayName} ${type}`)).toEqual([
		...['A (required) string', 'B (required, one or more) options', 'A (2) string'],
		...['Untitled string', ' ={{ 1 }} (file URL) url', 'Size options', 'Any string'],
	]);
	expect(mapped.filter(({ required }) => required).map(({ id }) => id)).toEqual(['a', 'b']);
	// n8n would evaluate a name or a value that starts with "="
	const choices = mapped.slice(-2).map(({ options }) => options?.map(({ name }) => name));
	expect(choices).toEqual([['M', ' =L'], undefined]);
});

it.each<[INodeParameters, string[]]>([
	[{ formId: locator('a') }, ['Email', 'Size: M, L']],
	[{ watch: 'several', formIds: ['a', 'b'] }, ['Email', 'Size: M, L', 'Age']],
	[{ watch: 'all', exceptFormIds: ['b'] }, ['Email', 'Size: M, L']],
	[{ watch: 'one', events: ['formCreated'] }, ['Email', 'Size: M, L', 'Age']],
])('A condition can compare, for %j, the fields %j and the attributes', async (given, fields) => {
	const { service: own, n8n } = await createWorld({ seed: false });
	const size = { label: 'Size', type: 'dropdown', options: ['M', 'L'] };
	own.store.addForm({ id: 'a', name: 'A', fields: [{ label: 'Email' }, size] });
	own.store.addForm({ id: 'b', name: 'B', fields: [{ label: 'email ' }, { label: 'Age' }] });
	const options = await n8n.callMethod<INodePropertyOptions[]>('getConditionFields', given);
	const listed = options.map(({ name, value, description = '' }) =>
		String(value).startsWith('attribute:') ? value : name + description.replace('Choices', ''),
	);
	const attributes = ['created_at', 'is_incomplete', 'number', 'referrer'];
	expect(listed).toEqual([...fields, ...attributes.map((name) => `attribute:${name}`)]);
	// those of one form by their UUIDs, which stay the same when a field is renamed
	expect(options[0].value === 'Email').toBe('watch' in given);
});

it.each<[string, Fault | FaultName | undefined, RegExp]>([
	['names the workspace', undefined, /^Connected to the workspace "Demo Workspace"$/],
	['waits for no silent service', 'silentBefore', / did not reply in time\. Try again later\./],
	['explains a rejected token', 'unauthorized', /access token\. Enter a valid access token in /],
	[
		'explains another service',
		success({ title: 'A' }),
		/ is not the address of a Form Service\. The reply was no workspace\. Check/,
	],
])('The test of the credential %s, with one request', async (_what, fault, message) => {
	if (fault) service.faults.set({ fault });
	const begun = time.now();
	const tested = await n8n.testCredential();
	const status = fault === undefined ? 'OK' : 'Error';
	expect(tested).toEqual({ status, message: expect.stringMatching(message) });
	expect(time.now() - begun).toBeLessThan(36_000);
	expect(pathsOf(service.requests)).toEqual(['/workspace']);
});

it('The credential asks for JSON where a request of HTTP Request does not', async () => {
	const sign = async (headers: IDataObject) =>
		(await authenticate({ accessToken: ' a-token\n' }, { url: service.url, headers })).headers;
	const Authorization = 'Bearer a-token';
	expect(await sign({ Authorization: 'Basic x' })).toEqual({
		Accept: 'application/json',
		Authorization,
	});
	expect(await sign({ Accept: '*/*' })).toEqual({ Accept: '*/*', Authorization });
});
