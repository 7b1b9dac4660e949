import { describe, expect, it, vi } from 'vitest';
import {
	bodyOf,
	demoForms,
	type Fault,
	type FaultName,
	faultTable,
	redirect,
	type Service,
	slow,
} from '../index.mts';
import { headersFor, serviceForTest } from '../testClient.mts';

/** Adds a response through the API, and tells what came back and whether the service has it. */
async function addUnder(service: Service, fault: FaultName | Fault) {
	const [field] = service.store.fields(demoForms.contact);
	const before = service.store.responses(demoForms.contact).length;
	service.faults.set({ fault, times: 1 });
	const outcome = await fetch(`${service.baseUrl}/forms/${demoForms.contact}/response`, {
		method: 'POST',
		redirect: 'manual',
		headers: headersFor(service.token),
		body: JSON.stringify({ data: { [field!.uuid]: 'x' } }),
		// long enough for a busy machine, but where the fault is that nothing comes
		signal: AbortSignal.timeout(String(fault).startsWith('silent') ? 300 : 10_000),
	}).then(
		async (reply) => ({ reply, text: await reply.text().catch(() => undefined) }),
		(error: Error) => ({ error: error.name }),
	);
	const stored = service.store.responses(demoForms.contact).length > before;
	return { stored, ...outcome };
}

type Expected = { stored: boolean; status?: number; error?: string; text?: RegExp; broken?: true };

const envelope = /^\{"success":false,"message":"[^"]+"/;
const refusal = (status: number): Expected => ({ stored: false, status, text: envelope });

/** What each fault of the table does to a request that adds a response. */
const expected: Record<FaultName, Expected> = {
	badRequest: refusal(400),
	unauthorized: refusal(401),
	forbidden: refusal(403),
	notFound: refusal(404),
	unprocessable: { ...refusal(422), text: /"errors":\{"name":\[/ },
	serverError: refusal(500),
	badGateway: refusal(502),
	unavailable: refusal(503),
	tooManyMinute: refusal(429),
	tooManyDay: refusal(429),
	tooManyRetryAfterZero: refusal(429),
	tooManyBare: { ...refusal(429), text: /^\{"message":"Too Many Attempts."\}$/ },
	tooManyHttpDate: refusal(429),
	dropBefore: { stored: false, error: 'TypeError' },
	dropAfter: { stored: true, error: 'TypeError' },
	silentBefore: { stored: false, error: 'TimeoutError' },
	silentAfter: { stored: true, error: 'TimeoutError' },
	gatewayAfter: { stored: true, status: 502, text: envelope },
	webPage: { stored: false, status: 200, text: /^<!doctype html>/ },
	failureWith200: refusal(200),
	malformedJson: { stored: false, status: 200, text: /"id":$/ },
	emptyBody: { stored: true, status: 200, text: /^$/ },
	cutBody: { stored: true, status: 200, broken: true },
	loginPage: { stored: false, status: 302 },
	redirectCircle: { stored: false, status: 302 },
	gzip: { stored: true, status: 200, text: /^\{"success":true/ },
};

describe('the table of faults', () => {
	it.each(Object.keys(faultTable) as FaultName[])('%s', async (name) => {
		const { service } = await serviceForTest();
		const { stored, status, error, text, broken } = expected[name];
		const outcome = await addUnder(service, name);
		expect(outcome.stored).toBe(stored);
		if ('error' in outcome) expect(outcome.error).toBe(error);
		else {
			expect(outcome.reply.status).toBe(status);
			if (text) expect(outcome.text).toMatch(text);
			if (broken) expect(outcome.text).toBeUndefined();
		}
		// The fault was set for one request, and the service is whole after it.
		expect(
			(await fetch(service.baseUrl + '/forms', { headers: headersFor(service.token) })).status,
		).toBe(200);
	});

	it('names every fault apart', () => {
		const names = Object.values(faultTable).map(({ name }) => name);
		expect(new Set(names).size).toBe(names.length);
	});
});

describe('refusals with 429', () => {
	it.each([
		['tooManyMinute', '60', /^20$/],
		['tooManyDay', '1440', /^4000$/],
		['tooManyRetryAfterZero', '60', /^0$/],
		['tooManyHttpDate', '60', /^Sat, 21 Nov 2026 08:00:20 GMT$/],
	] as const)('%s shows limit %s and says when', async (fault, limit, retryAfter) => {
		const { service, get } = await serviceForTest({ now: () => Date.UTC(2026, 10, 21, 8) });
		service.faults.set({ fault });
		const { headers } = await get('/workspace');
		expect(headers.get('x-ratelimit-limit')).toBe(limit);
		expect(headers.get('x-ratelimit-remaining')).toBe('0');
		expect(headers.get('retry-after')).toMatch(retryAfter);
	});

	it('tooManyBare says nothing of when', async () => {
		const { service, get } = await serviceForTest();
		service.faults.set({ fault: 'tooManyBare' });
		const { headers } = await get('/workspace');
		expect(headers.has('retry-after')).toBe(false);
		expect(headers.has('x-ratelimit-reset')).toBe(false);
	});
});

describe('what is counted', () => {
	const leftAfter = async (fault: FaultName) => {
		const { service, get } = await serviceForTest();
		service.faults.set({ fault, times: 1 });
		await fetch(`${service.baseUrl}/forms`, { headers: headersFor(service.token) }).catch(() => {});
		return (await get('/forms')).headers.get('x-ratelimit-remaining');
	};

	it('a request that failed past the limiter is', async () => {
		expect(await leftAfter('serverError')).toBe('58');
		expect(await leftAfter('dropAfter')).toBe('58');
	});

	it('a request that never got there is not', async () => {
		expect(await leftAfter('unauthorized')).toBe('59');
		expect(await leftAfter('tooManyMinute')).toBe('59');
		expect(await leftAfter('dropBefore')).toBe('59');
	});
});

describe('faults with a parameter', () => {
	it('a slow reply comes late, and the service has acted at once', async () => {
		const { service } = await serviceForTest();
		const start = performance.now();
		const outcome = await addUnder(service, slow(100));
		expect(outcome).toMatchObject({ stored: true, reply: { status: 200 } });
		expect(performance.now() - start).toBeGreaterThan(95);
	});

	it('a redirect leads to the address that was given', async () => {
		const { service } = await serviceForTest();
		service.faults.set({ fault: redirect('https://elsewhere.example/', 307) });
		const reply = await fetch(`${service.baseUrl}/forms`, {
			redirect: 'manual',
			headers: headersFor(service.token),
		});
		expect([reply.status, reply.headers.get('location')]).toEqual([
			307,
			'https://elsewhere.example/',
		]);
	});

	it('a large body is large, and well-formed', async () => {
		const { service, get } = await serviceForTest();
		service.faults.set({ fault: bodyOf(3) });
		const { body } = await get('/forms');
		expect(JSON.stringify(body).length).toBeGreaterThan(3_000_000);
	});
});

describe('a client that leaves before the reply has ended', () => {
	it.each([
		['while a long one comes', bodyOf(50)],
		['where none comes', 'silentBefore' as const],
	])('has nothing done in its absence, %s', async (_, fault) => {
		const { service, get } = await serviceForTest();
		const [field] = service.store.fields(demoForms.contact);
		const before = service.store.responses(demoForms.contact).length;
		service.faults.set({ fault, times: 1 });
		const leaving = new AbortController();
		const sent = fetch(`${service.baseUrl}/forms/${demoForms.contact}/response`, {
			method: 'POST',
			headers: headersFor(service.token),
			body: JSON.stringify({ data: { [field!.uuid]: 'x' } }),
			signal: leaving.signal,
		}).then(
			() => 'a reply has begun',
			() => 'none has come',
		);
		await vi.waitFor(() => expect(service.requests).toHaveLength(1));
		if (fault !== 'silentBefore') await sent;
		leaving.abort();
		await sent;
		// these take longer than the service takes to notice
		for (let request = 0; request < 10; request++) await get('/workspace');
		expect(service.store.responses(demoForms.contact)).toHaveLength(before);
	});
});

describe('a rule', () => {
	it('meets only the method and path that it names, the query included', async () => {
		const { service, get } = await serviceForTest();
		service.faults.set({ fault: 'serverError', match: { method: 'get', path: /page=2$/ } });
		expect((await get('/forms')).status).toBe(200);
		expect((await get('/forms?page=2')).status).toBe(500);
	});

	it('meets pages and files only when its path says so', async () => {
		const { service } = await serviceForTest();
		const page = async () => (await fetch(`${service.url}/f/${demoForms.contact}`)).status;
		service.faults.set({ fault: 'serverError' });
		expect(await page()).toBe(200);
		service.faults.set({ fault: 'serverError', match: { path: /^\/f\// } });
		expect(await page()).toBe(500);
	});

	it('strikes as often as it says, in the order in which rules were set', async () => {
		const { service, get } = await serviceForTest();
		service.faults.set({ fault: 'serverError', times: 2 });
		service.faults.set({ fault: 'notFound', times: 1 });
		const statuses = [];
		for (let sent = 0; sent < 4; sent++) statuses.push((await get('/forms')).status);
		expect(statuses).toEqual([500, 500, 404, 200]);
	});

	it('strikes by the numbers that it is given', async () => {
		const { service, get } = await serviceForTest();
		const rolls = [0.2, 0.4, 0.1];
		service.faults.set({ fault: 'serverError', probability: 0.3, random: () => rolls.shift()! });
		const statuses = [];
		for (let sent = 0; sent < 3; sent++) statuses.push((await get('/forms')).status);
		expect(statuses).toEqual([500, 200, 500]);
	});

	it('can be taken away, alone or with all others', async () => {
		const { service, get } = await serviceForTest();
		const remove = service.faults.set({ fault: 'serverError' });
		service.faults.set({ fault: 'notFound' });
		remove();
		expect((await get('/forms')).status).toBe(404);
		service.faults.clear();
		expect((await get('/forms')).status).toBe(200);
	});
});

it('a service ends although requests are left without a reply', async () => {
	const { service } = await serviceForTest();
	service.faults.set({ fault: 'silentBefore' });
	const left = fetch(`${service.baseUrl}/forms`, { headers: headersFor(service.token) });
	await expect.poll(() => service.requests.length).toBe(1);
	await service.close();
	await expect(left).rejects.toThrow();
	await expect(fetch(service.baseUrl)).rejects.toThrow();
	expect(service.requests[0]!.status).toBe(0);
});
