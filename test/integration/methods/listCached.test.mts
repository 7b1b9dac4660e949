import { describe, expect, it } from 'vitest';
import { demoForms, slow, type FaultName } from '../../service/index.mts';
import { AT_ONCE, createWorld, pathsOf } from '../world.mts';
import { time, type N8n } from '../harness.mts';

/** Types into the list of forms: all keys at once, then each after the reply to the last one. */
async function typeInto({ searchForms }: N8n) {
	const keys = Array.from('survey of 20', (_key, index) => 'survey of 20'.slice(0, index + 1));
	const results = await Promise.allSettled(keys.map(async (text) => await searchForms(text)));
	for (const text of keys) results.push(...(await Promise.allSettled([searchForms(text)])));
	return new Set(results.map(({ status }) => status));
}

describe('the list of forms in the editor', () => {
	it.each<[string, FaultName | undefined, string, number]>([
		['one request', undefined, 'fulfilled', 1],
		['one request if it is refused', 'forbidden', 'rejected', 1],
		['four tries while Form Service is in trouble', 'unavailable', 'rejected', 4],
	])('costs %s, however much a person types', async (_what, fault, status, requests) => {
		const { service, n8n } = await createWorld();
		if (fault) service.faults.set({ fault });
		expect(await typeInto(n8n)).toEqual(new Set([status]));
		expect(pathsOf(service.requests)).toEqual(Array(requests).fill('/forms'));
	});

	it('costs one more request for the fields of a form', async () => {
		const { service, n8n } = await createWorld();
		const { contact } = demoForms;
		await n8n.searchForms();
		await Promise.all([n8n.getFormFields(contact), n8n.getFormFields(contact)]);
		await n8n.getFormFields(contact);
		expect(pathsOf(service.requests)).toEqual(['/forms', `/forms/${contact}/fields`]);
	});

	it('is read again 10 seconds after a failure, and a minute after the end of a success', async () => {
		const { service, n8n } = await createWorld(AT_ONCE);
		service.faults.set({ fault: 'forbidden', times: 1 });
		service.faults.set({ fault: slow(20_000), times: 1 });
		await expect(n8n.searchForms()).rejects.toThrow('Access denied');
		await time.sleep(9_000);
		await expect(n8n.searchForms()).rejects.toThrow('Access denied');
		expect(service.requests).toHaveLength(1);
		for (const [pauseMs, requests] of [
			[2_000, 2],
			[59_000, 2],
			[2_000, 3],
		]) {
			await time.sleep(pauseMs);
			await n8n.searchForms();
			expect(service.requests).toHaveLength(requests);
		}
	});
});
