import { describe, expect, it } from 'vitest';
import { demoForms, type FaultName, faultTable, type Service } from '../index.mts';
import { headersFor, serviceForTest } from '../testClient.mts';

/** Adds a response through the API, and gives what came back and whether the service has it. */
async function addUnder(service: Service, fault: FaultName, leaving: AbortSignal) {
	const [field] = service.store.fields(demoForms.contact);
	const before = service.store.responses(demoForms.contact).length;
	service.faults.set({ fault, times: 1 });
	const outcome = await fetch(`${service.baseUrl}/forms/${demoForms.contact}/response`, {
		method: 'POST',
		redirect: 'manual',
		headers: headersFor(service.token),
		body: JSON.stringify({ data: { [field!.uuid]: 'x' } }),
		signal: leaving,
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
	silentBefore: { stored: false, error: 'AbortError' },
	silentAfter: { stored: true, error: 'AbortError' },
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
		// Where the service would be silent for ever, the client leaves.
		const leaving = new AbortController();
		const wait = async () => leaving.abort();
		const { service } = await serviceForTest({ wait });
		const { stored, status, error, text, broken } = expected[name];
		const outcome = await addUnder(service, name, leaving.signal);
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
});

describe('a rule', () => {
	it('meets only the method and path that it names, the query included', async () => {
		const { service, get } = await serviceForTest();
		service.faults.set({ fault: 'serverError', match: { method: 'get', path: /page=2$/ } });
		expect((await get('/forms')).status).toBe(200);
		expect((await get('/forms?page=2')).status).toBe(500);
	});

	it('strikes as often as it says, in the order in which rules were set', async () => {
		const { service, get } = await serviceForTest();
		service.faults.set({ fault: 'serverError', times: 2 });
		service.faults.set({ fault: 'notFound', times: 1 });
		const statuses = [];
		for (let sent = 0; sent < 4; sent++) statuses.push((await get('/forms')).status);
		expect(statuses).toEqual([500, 500, 404, 200]);
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
