import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { slow } from '../../service/index.mts';
import { withWorld } from '../world.mts';
import { addEach, numbered } from './adding.mts';
import { until } from './watch.mts';

/** Cancels a run and gives how many milliseconds it took to end. */
async function cancelled(run: { done: Promise<unknown>; cancel: () => void }): Promise<number> {
	const start = Date.now();
	run.cancel();
	await run.done;
	return Date.now() - start;
}

const AT_ONCE_MS = 250;

describe('an execution that is cancelled', () => {
	it('ends at once, and nothing that waits for its turn is sent afterwards', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: slow(300) });
			const run = n8n.startNode(addEach, numbered(service, 50));
			await until(service.requests, 5);
			expect(await cancelled(run)).toBeLessThan(AT_ONCE_MS);
			await wait(700);
			expect(service.requests).toHaveLength(5);
		});
	});

	it('ends at once where it waits for the next window', async () => {
		await withWorld(
			async ({ service, n8n }) => {
				const run = n8n.startNode(addEach, numbered(service, 50));
				await until(service.requests, 5);
				await wait(100);
				expect(await cancelled(run)).toBeLessThan(AT_ONCE_MS);
				expect(service.requests).toHaveLength(5);
			},
			{ perMinute: 5 },
		);
	});

	it('ends at once where it waits to send a request again', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: 'unavailable' });
			const run = n8n.startNode({ resource: 'workspace', operation: 'get' });
			await until(service.requests, 2);
			await wait(50);
			expect(await cancelled(run)).toBeLessThan(AT_ONCE_MS);
			await wait(2_500);
			expect(service.requests).toHaveLength(2);
		});
	});

	it('ends at once where it waits for a list that another execution has asked for', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: slow(1_000) });
			const listForms = { resource: 'form', operation: 'getAll' };
			const other = n8n.runNode(listForms);
			await until(service.requests, 1);
			const run = n8n.startNode(listForms);
			await wait(50);
			expect(await cancelled(run)).toBeLessThan(AT_ONCE_MS);
			expect((await other).error).toBeUndefined();
			expect(service.requests).toHaveLength(1);
		});
	});

	it('ends a request that is under way', async () => {
		await withWorld(async ({ service, n8n }) => {
			const closed = Promise.withResolvers<string>();
			service.faults.set({
				fault: {
					name: 'no reply, and the connection watched',
					stage: 'door',
					act({ request, reply }) {
						reply.hijack();
						request.raw.socket.once('close', () => closed.resolve('closed by the client'));
					},
				},
			});
			const run = n8n.startNode({ resource: 'workspace', operation: 'get' });
			await until(service.requests, 1);
			expect(await cancelled(run)).toBeLessThan(AT_ONCE_MS);
			expect(await Promise.race([closed.promise, wait(1_000, 'still open')])).toBe(
				'closed by the client',
			);
		});
	});

	it('leaves other executions on the account alone', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: slow(20) });
			const run = n8n.startNode(addEach, numbered(service, 50));
			const other = n8n.runNode(addEach, numbered(service, 10));
			await until(service.requests, 3);
			await cancelled(run);
			const { items, error } = await other;
			expect(error).toBeUndefined();
			expect(items).toHaveLength(10);
		});
	});
});
