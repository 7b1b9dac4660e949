import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { demoForms, startService } from '../../service/index.mts';
import { itemsOf, locator, n8nFor } from '../harness.mts';

const service = await startService({ perMinute: 10_000, perDay: 100_000 });
afterAll(async () => await service.close());

const n8n = n8nFor({ accessToken: service.token, baseUrl: service.url });
const [field] = service.store.fields(demoForms.contact);

/** Every place where an id goes into a path or a body, as an expression that brings it from the item. */
const id = '={{ $json.id }}';
const takingIds = [
	{ resource: 'form', operation: 'get', formId: locator(id) },
	{ resource: 'form', operation: 'get', formId: locator(id, 'list') },
	{ resource: 'field', operation: 'getAll', formId: locator(id) },
	{ resource: 'response', operation: 'get', formId: locator(id), responseId: 'a' },
	{ resource: 'response', operation: 'get', formId: locator('a'), responseId: id },
	{ resource: 'response', operation: 'getAll', formId: locator(id) },
	{ resource: 'response', operation: 'getPdf', responseId: id },
	{
		resource: 'response',
		operation: 'create',
		formId: locator(id),
		inputMode: 'json',
		answersJson: { [field.uuid]: 'x' },
	},
	{
		resource: 'response',
		operation: 'create',
		formId: locator(demoForms.contact),
		inputMode: 'json',
		answersJson: '={{ { [$json.id]: "x" } }}',
	},
	{ resource: 'settings', operation: 'update', formId: locator(id), settings: { name: 'x' } },
];

async function expectNothingLeaves(given: unknown) {
	service.requests.length = 0;
	const runs = takingIds.map(async (parameters) => {
		const { error, items } = await n8n.runNode(
			parameters as never,
			itemsOf({ id: given as never }),
		);
		expect(error?.message, JSON.stringify(parameters)).toMatch(
			/(is not a valid ID|is missing|is not a field of this form)/,
		);
		expect(error).toMatchObject({ context: { itemIndex: 0 } });
		expect(items).toEqual([]);
	});
	await Promise.all(runs);
	// which keys are names of fields, only the fields of the form can say
	const others = service.requests.filter(
		({ path }) => path !== `/forms/${demoForms.contact}/fields`,
	);
	expect(others).toEqual([]);
	expect(service.visits).toEqual([]);
}

describe('an id that is none never leaves', () => {
	it.each([
		['../workspace'],
		['a/b'],
		['%2e%2e'],
		['..'],
		['.'],
		[''],
		['   '],
		['x'.repeat(10_000)],
		['x'.repeat(256)],
		['a?b=c'],
		['a#b'],
		['a\\b'],
		['a%00b'],
		['a\u0000b'],
		['a\nb'],
		['a;b'],
		['ä'],
		['а'],
		['../../api/v1/workspace'],
		['https://evil.example/'],
		[{ deep: 1 }],
		[1.5],
	])('%j', async (given) => {
		await expectNothingLeaves(given);
	});

	it('whatever text it is', async () => {
		const text = fc
			.oneof(
				fc.string({ unit: 'binary' }),
				fc.string({ unit: 'grapheme-composite' }),
				fc.webPath(),
				fc.webQueryParameters(),
			)
			.filter((one) => !/^[A-Za-z0-9_-]{1,255}$/.test(one.trim()));
		await fc.assert(fc.asyncProperty(text, expectNothingLeaves), { numRuns: 25 });
	});
});

describe('a token that no header takes', () => {
	const tokens = [
		['with a line break', 'token\nX-Injected: 1'],
		['with a carriage return', 'token\r\nHost: evil.example'],
		['with a space', 'my token'],
		['that is not ASCII', 'tökén'],
		['with an emoji', 'token🔑'],
		['with a NUL', 'token\u0000'],
		['that is empty', ''],
	];

	it.each(tokens)('%s is refused before anything is sent', async (_name, accessToken) => {
		service.requests.length = 0;
		const account = n8nFor({ accessToken, baseUrl: service.url });
		const { error } = await account.runNode({ resource: 'workspace', operation: 'get' });
		expect(error?.message).toMatch(/^'Access Token' (is empty|contains a space, a line break)/);
		expect(error?.description).toBe(
			'Nothing was sent.\nOpen the Form Service credential of this node to correct it.',
		);
		expect(error).toMatchObject({ failure: { cause: 'credential-invalid' } });
		await expect(account.searchForms()).rejects.toThrow(/^'Access Token' /);
		await expect(account.runPoll({ formId: locator(demoForms.contact) })).rejects.toThrow(
			/^'Access Token' /,
		);
		expect(await account.testCredential()).toMatchObject({
			status: 'Error',
			message: expect.stringMatching(/^'Access Token' /),
		});
		expect(service.requests).toEqual([]);
	});
});

it('blanks around a pasted token and base URL mean nothing', async () => {
	service.requests.length = 0;
	const account = n8nFor({ accessToken: ` ${service.token}\n`, baseUrl: ` ${service.url}/ ` });
	const { error } = await account.runNode({ resource: 'workspace', operation: 'get' });
	expect(error).toBeUndefined();
	expect(await account.testCredential()).toMatchObject({ status: 'OK' });
	expect(service.requests.map(({ token }) => token)).toEqual([service.token, service.token]);
});

describe('a base URL that is none', () => {
	it.each([
		['', /is not a web address/],
		['forms.example.com', /is not a web address/],
		['ftp://forms.example.com', /is not a web address/],
		['javascript:alert(1)', /is not a web address/],
		['https://user:secret@forms.example.com', /must not contain a user name/],
		['https://forms.example.com/?token=x', /must not contain a user name/],
		['https://forms.example.com/#x', /must not contain a user name/],
		['https://', /is not a web address/],
	])('%j is refused where it is entered, and where it is used', async (baseUrl, message) => {
		const account = n8nFor({ accessToken: 'a-token', baseUrl });
		const { error } = await account.runNode({ resource: 'workspace', operation: 'get' });
		expect(error?.message).toMatch(message);
		expect(error?.message).not.toContain('secret');
		expect(await account.testCredential()).toMatchObject({
			status: 'Error',
			message: expect.stringMatching(message),
		});
	});
});
