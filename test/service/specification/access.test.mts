import { describe, expect, it } from 'vitest';
import { demoForms, type Service } from '../index.mts';
import { clientOf, headersFor, serviceForTest } from '../testClient.mts';

const uuid = '00000000-0000-4000-8000-000000000000';
const endpoints = [
	['GET', '/workspace'],
	['GET', '/forms'],
	['GET', `/forms/${demoForms.contact}/fields`],
	['GET', `/responses/${demoForms.contact}`],
	['GET', `/response/${uuid}/pdf`],
	['POST', `/forms/${demoForms.contact}/response`],
	['POST', `/forms/${demoForms.contact}/settings`],
] as const;

const raw = async (service: Service, method: string, path: string, headers: HeadersInit) =>
	await fetch(service.baseUrl + path, {
		method,
		headers,
		redirect: 'manual',
		...(method === 'POST' && { body: '{}' }),
	});

describe.each(endpoints)('%s %s', (method, path) => {
	it('answers 401 in the envelope, without limit headers and uncounted, to a wrong token', async () => {
		const { service, get } = await serviceForTest();
		for (const headers of [headersFor('wrong'), { ...headersFor(''), authorization: '' }]) {
			const reply = await raw(service, method, path, headers);
			expect(reply.status).toBe(401);
			expect(await reply.json()).toEqual({ success: false, message: expect.any(String) });
			expect(reply.headers.has('x-ratelimit-limit')).toBe(false);
			expect(reply.headers.has('x-ratelimit-remaining')).toBe(false);
		}
		expect((await get('/workspace')).headers.get('x-ratelimit-remaining')).toBe('59');
	});

	it('leads to the login page without Accept: application/json', async () => {
		const { service } = await serviceForTest();
		const reply = await raw(service, method, path, { ...headersFor(service.token), accept: '*/*' });
		expect(reply.status).toBe(302);
		const page = await fetch(new URL(reply.headers.get('location')!, reply.url));
		expect(page.status).toBe(200);
		expect(page.headers.get('content-type')).toContain('text/html');
	});

	it('carries the limit headers, whatever its status', async () => {
		const { service } = await serviceForTest();
		const reply = await raw(service, method, path, headersFor(service.token));
		expect(reply.headers.get('x-ratelimit-limit')).toBe('60');
		expect(reply.headers.get('x-ratelimit-remaining')).toBe('59');
	});
});

describe('errors', () => {
	const unknown = [
		'/forms/zzzzzz/fields',
		'/responses/zzzzzz',
		`/response/${uuid}/pdf`,
		'/nothing',
	];

	it.each(unknown)('404 in the envelope for %s', async (path) => {
		const { get } = await serviceForTest();
		expect(await get(path)).toMatchObject({
			status: 404,
			body: { success: false, message: expect.any(String) },
		});
	});

	it('403 for what belongs to another account', async () => {
		const { service } = await serviceForTest();
		service.store.addAccount({ tokens: ['other'] });
		const { get, post } = clientOf(service, 'other');
		const [response] = service.store.responses(demoForms.contact);
		const replies = [
			await get(`/forms/${demoForms.contact}/fields`),
			await get(`/responses/${demoForms.contact}`),
			await get(`/response/${response!.uuid}/pdf`),
			await post(`/forms/${demoForms.contact}/settings`, { name: 'Mine' }),
		];
		for (const { status, body } of replies) expect([status, body.success]).toEqual([403, false]);
		expect((await get('/forms')).body.data).toEqual([]);
	});

	it.each([
		['malformed JSON', '{"name":', 'application/json'],
		['no object', '["name"]', 'application/json'],
		['no body', '', 'application/json'],
		['a body of another type', 'name=x', 'application/x-www-form-urlencoded'],
	])('400 in the envelope for %s', async (_what, body, type) => {
		const { service } = await serviceForTest();
		const reply = await fetch(`${service.baseUrl}/forms/${demoForms.contact}/settings`, {
			method: 'POST',
			headers: { ...headersFor(service.token), 'content-type': type },
			body,
		});
		expect(reply.status).toBe(400);
		expect(await reply.json()).toEqual({ success: false, message: expect.any(String) });
	});
});

describe('limits', () => {
	it('refuse what is beyond them with 429 in the envelope, until the next window', async () => {
		let now = Date.UTC(2026, 10, 21, 8);
		const { get } = await serviceForTest({ perMinute: 1, now: () => now });
		await get('/workspace');
		const { status, body, headers } = await get('/workspace');
		expect([status, body]).toEqual([429, { success: false, message: 'Too Many Attempts.' }]);
		expect(headers.get('retry-after')).toBe('60');
		now += 60_000;
		expect((await get('/workspace')).status).toBe(200);
	});

	it('are shared by all tokens of an account, and by no other account', async () => {
		const { service, get } = await serviceForTest({ perMinute: 2 });
		service.store.addToken(1, 'second');
		service.store.addAccount({ tokens: ['other'] });
		const left = async (token: string) =>
			(await clientOf(service, token).get('/workspace')).headers.get('x-ratelimit-remaining');
		await get('/workspace');
		expect([await left('second'), await left('other')]).toEqual(['0', '1']);
	});

	it('do not touch the forms’ pages', async () => {
		const { service, get } = await serviceForTest({ perMinute: 1 });
		await fetch(`${service.url}/f/${demoForms.contact}`);
		expect((await get('/workspace')).status).toBe(200);
	});
});

describe('what reached the API', () => {
	it('is on record with token, query, body and status', async () => {
		const { service, get, post } = await serviceForTest({ now: () => 1_000 });
		await get(`/responses/${demoForms.contact}?incomplete=false`);
		await post(`/forms/${demoForms.contact}/settings`, { name: 5 });
		expect(service.requests).toMatchObject([
			{
				at: 1_000,
				method: 'GET',
				path: `/responses/${demoForms.contact}`,
				query: { incomplete: 'false' },
				status: 200,
				token: service.token,
			},
			{ method: 'POST', body: { name: 5 }, status: 400 },
		]);
	});
});
