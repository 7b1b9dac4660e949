import { describe, expect, it } from 'vitest';
import { demoForms, slow } from '../../service/index.mts';
import { itemsOf, time } from '../harness.mts';
import { AT_ONCE, withWorld } from '../world.mts';
import { addEach, addTo, numbered } from './adding.mts';
import { answered, until } from './watch.mts';

type Run = { done: Promise<unknown>; cancel: () => void };

/** Cancels a run and waits for its end, without any time to pass. */
async function cancelAtOnce(run: Run): Promise<void> {
	run.cancel();
	await run.done;
}

/** Long enough for all that waits in these tests. */
const LATER_MS = 120_000;

describe('an execution that is cancelled', () => {
	it('ends at once, and nothing that waits for its turn is sent afterwards', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: slow(300) });
			await time.still(async () => {
				const run = n8n.startNode(addEach, numbered(service, 50));
				await until(service.requests, 4);
				await cancelAtOnce(run);
			});
			await time.sleep(LATER_MS);
			expect(service.requests).toHaveLength(4);
		}, AT_ONCE);
	});

	it('ends at once where it waits for the next window', async () => {
		await withWorld(
			async ({ service, n8n }) => {
				await time.still(async () => {
					const run = n8n.startNode(addEach, numbered(service, 50));
					await answered(service.requests, 4);
					await cancelAtOnce(run);
				});
				await time.sleep(LATER_MS);
				expect(service.requests).toHaveLength(4);
			},
			{ ...AT_ONCE, perMinute: 4 },
		);
	});

	it('ends at once where it waits to send a request again', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: 'unavailable' });
			await time.still(async () => {
				const run = n8n.startNode({ resource: 'workspace', operation: 'get' });
				await answered(service.requests, 1);
				await cancelAtOnce(run);
			});
			await time.sleep(LATER_MS);
			expect(service.requests).toHaveLength(1);
		}, AT_ONCE);
	});

	it('ends at once where it waits for a list that another execution has asked for', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: slow(1_000) });
			const listForms = { resource: 'form', operation: 'getAll' };
			const other = await time.still(async () => {
				const first = n8n.startNode(listForms);
				await until(service.requests, 1);
				const run = n8n.startNode(listForms);
				await new Promise(setImmediate);
				await cancelAtOnce(run);
				return first;
			});
			expect((await other.done).error).toBeUndefined();
			expect(service.requests).toHaveLength(1);
		}, AT_ONCE);
	});

	it('ends a request that is under way', async () => {
		await withWorld(async ({ service, n8n }) => {
			const closed = Promise.withResolvers<void>();
			service.faults.set({
				fault: {
					name: 'no reply, and the connection watched',
					stage: 'door',
					act({ request, reply }) {
						reply.hijack();
						request.raw.socket.once('close', closed.resolve);
					},
				},
			});
			const run = n8n.startNode({ resource: 'workspace', operation: 'get' });
			await until(service.requests, 1);
			await time.still(async () => {
				await cancelAtOnce(run);
				await closed.promise;
			});
		}, AT_ONCE);
	});

	it('leaves other executions on the account alone', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: slow(20) });
			const run = n8n.startNode(addEach, numbered(service, 50));
			const other = n8n.runNode(addEach, numbered(service, 10));
			await until(service.requests, 3);
			await cancelAtOnce(run);
			const { items, error } = await other;
			expect(error).toBeUndefined();
			expect(items).toHaveLength(10);
		});
	});

	it.each([false, true])(
		'does not say that a response was not sent which may have been added (continue on fail: %s)',
		async (continueOnFail) => {
			await withWorld(async ({ service, n8n }) => {
				const [{ uuid }] = service.store.fields(demoForms.contact);
				const before = service.store.responses(demoForms.contact).length;
				service.faults.set({ fault: slow(500) });
				const input = itemsOf({ [uuid]: 'under way' });
				const { items, error } = await time.still(async () => {
					const { done, cancel } = n8n.startNode(addTo(demoForms.contact), input, {
						continueOnFail,
					});
					await answered(service.requests, 1);
					cancel();
					return await done;
				});
				expect(continueOnFail ? items[0].json.error : error?.message).toMatch(
					/broke before the whole reply arrived\. The response may or may not have been added$/,
				);
				expect(service.store.responses(demoForms.contact)).toHaveLength(before + 1);
				await time.sleep(LATER_MS);
				expect(service.requests).toHaveLength(1);
			}, AT_ONCE);
		},
	);
});
