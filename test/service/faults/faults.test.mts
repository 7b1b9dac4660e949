import { describe, expect, it } from 'vitest';
import { demoForms, type FaultName, faultTable } from '../index.mts';
import { startForTest } from '../startForTest.mts';

/** The faults after which the service has done what it was asked to; the others do nothing. */
const ACTED: FaultName[] = [
	'dropAfter',
	'silentAfter',
	'gatewayAfter',
	'emptyBody',
	'cutBody',
	'gzip',
];

describe('a fault', () => {
	it.each(Object.keys(faultTable) as FaultName[])('%s acts or does not, once', async (fault) => {
		const leaving = new AbortController();
		// where the service is silent for ever, the client leaves
		const { service, send, get } = await startForTest({ wait: async () => leaving.abort() });
		const count = () => service.store.responses(demoForms.contact).length;
		const before = count();
		service.faults.set({ fault, times: 1 });
		const data = { [service.store.fields(demoForms.contact)[0].uuid]: 'x' };
		const request = { method: 'POST', body: JSON.stringify({ data }), signal: leaving.signal };
		const path = `/forms/${demoForms.contact}/response`;
		await send(path, request)
			.then(async (reply) => await reply.text())
			.catch(() => '');
		expect(count() - before).toBe(ACTED.includes(fault) ? 1 : 0);
		expect((await get('/forms')).status).toBe(200);
	});

	it('meets only the method and path of its rule', async () => {
		const { service, get } = await startForTest();
		service.faults.set({ fault: 'serverError', match: { method: 'get', path: /page=2$/ } });
		expect((await get('/forms')).status).toBe(200);
		expect((await get('/forms?page=2')).status).toBe(500);
	});
});
