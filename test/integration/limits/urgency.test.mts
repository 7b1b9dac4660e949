import { describe, expect, it } from 'vitest';
import { demoForms, slow } from '../../service/index.mts';
import { withWorld, type World } from '../world.mts';
import { locator } from '../harness.mts';
import { addEach, numbered } from './adding.mts';
import { pathsOf, until } from './watch.mts';

const ITEMS = 50;

/** Requests that are open when someone asks: they left before. */
const OPEN = 5;

/**
 * Lets someone ask for something while the items of another execution are being sent.
 *
 * @returns how many requests reached the service between the asking and the first to that path
 */
async function waitedFor(
	{ service, n8n }: World,
	path: string,
	ask: () => Promise<unknown>,
): Promise<number> {
	service.faults.set({ fault: slow(20) });
	const run = n8n.runNode(addEach, numbered(service, ITEMS));
	await until(service.requests, 10);
	const before = service.requests.length;
	await ask();
	const position = pathsOf(service.requests).indexOf(path);
	expect(position).toBeGreaterThanOrEqual(before);
	expect((await run).items).toHaveLength(ITEMS);
	return position - before;
}

const LIMITS = { perMinute: 5_000, perDay: 20_000 };

describe('while the items of an execution wait for their turn', () => {
	it('the list of forms in the editor goes before them', async () => {
		await withWorld(async (world) => {
			const waited = await waitedFor(world, '/forms', async () => await world.n8n.searchForms());
			expect(waited).toBeLessThanOrEqual(OPEN);
		}, LIMITS);
	});

	it('a trigger goes before them', async () => {
		await withWorld(async (world) => {
			const poll = async () => await world.n8n.runPoll({ formId: locator(demoForms.contact) });
			const waited = await waitedFor(world, `/responses/${demoForms.contact}`, poll);
			expect(waited).toBeLessThanOrEqual(OPEN);
		}, LIMITS);
	});

	it('a person at the editor does not wait for an execution that wants the same list', async () => {
		await withWorld(async (world) => {
			const { n8n } = world;
			const ask = async () => {
				const bulk = n8n.startNode({ resource: 'form', operation: 'getAll' });
				await new Promise(setImmediate);
				await n8n.searchForms();
				bulk.cancel();
				await bulk.done;
			};
			expect(await waitedFor(world, '/forms', ask)).toBeLessThanOrEqual(OPEN);
		}, LIMITS);
	});
});
