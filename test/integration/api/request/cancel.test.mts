import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms, slow } from '../../../service/index.mts';
import type { Fault, FaultName, ServiceOptions } from '../../../service/index.mts';
import { itemsOf, locator, time } from '../../harness.mts';
import { answered, AT_ONCE, createWorld } from '../../world.mts';
import { addEach, addTo, numbered } from '../adding.mts';

const getWorkspace = { resource: 'workspace', operation: 'get' };

async function cancel(run: { done: Promise<unknown>; cancel: () => void }): Promise<void> {
	run.cancel();
	await run.done;
}

// while the time stands still, an end that waits for time to pass would never come
describe('an execution that is canceled', () => {
	it.each<[string, INodeParameters, number, Fault | FaultName, ServiceOptions]>([
		['its turn', addEach, 6, slow(300), {}],
		['the next minute', addEach, 4, slow(0), { perMinute: 4 }],
		['another try', getWorkspace, 1, 'unavailable', {}],
	])('ends at once while it waits for %s, and sends no more', async (_what, ...given) => {
		const [parameters, requests, fault, options] = given;
		const { service, n8n } = await createWorld({ ...AT_ONCE, ...options });
		service.faults.set({ fault, match: { path: /^(?!.*fields$)/ } });
		await time.still(async () => {
			const run = n8n.startNode(parameters, numbered(service, 50));
			await answered(service.requests, requests);
			await cancel(run);
		});
		// long enough for all that waits in these tests
		await time.sleep(120_000);
		expect(service.requests).toHaveLength(requests);
	});

	it('says how an update has failed that it was about to repeat', async () => {
		const { service, n8n } = await createWorld(AT_ONCE);
		service.faults.set({ fault: 'serverError' });
		const form = { resource: 'setting', formId: locator(demoForms.contact) };
		const { error } = await time.still(async () => {
			const run = n8n.startNode({ ...form, operation: 'update', settings: { name: 'A' } });
			await answered(service.requests, 1);
			run.cancel();
			return await run.done;
		});
		expect(error?.message).toMatch(/^Form Service returned an error \(status 500\)/);
	});

	it('says that a response may be there', async () => {
		const { service, n8n } = await createWorld(AT_ONCE);
		const { contact } = demoForms;
		const [{ uuid }] = service.store.fields(contact);
		const before = service.store.responses(contact).length;
		service.faults.set({ fault: slow(500), match: { method: 'POST' } });
		const { error } = await time.still(async () => {
			const run = n8n.startNode(addTo(contact), itemsOf({ [uuid]: 'Ada' }));
			await answered(service.requests, 2);
			run.cancel();
			return await run.done;
		});
		expect(error?.message).toMatch(/\. The response may or may not have been added$/);
		expect(service.store.responses(contact)).toHaveLength(before + 1);
	});
});
