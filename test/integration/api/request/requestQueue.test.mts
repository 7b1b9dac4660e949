import { expect, it } from 'vitest';
import { formatTime } from '../../../../nodes/FormService/api/failures.ts';
import { demoForms, unavailable } from '../../../service/index.mts';
import { locator, time } from '../../harness.mts';
import { createWorld, pathsOf, type World } from '../../world.mts';
import { addEach, numbered } from '../adding.mts';

const { contact, survey } = demoForms;

it('150 items take the two minutes that the limit demands, and none is refused', async () => {
	const { service, n8n } = await createWorld();
	const count = 150;
	const begun = time.now();
	const { items, error } = await n8n.runNode(addEach, numbered(service, count));
	const tookMs = time.now() - begun;
	expect(error).toBeUndefined();
	expect(items).toHaveLength(count);
	// and the fields of the form
	expect(service.requests.map(({ status }) => status)).toEqual(Array(count + 1).fill(200));
	expect(tookMs).toBeGreaterThan(120_000);
	expect(tookMs).toBeLessThan(130_000);
});

/** The service is in maintenance from now on for so many seconds, and asks to wait until its end. */
function startMaintenance({ service }: World, seconds: number): number {
	const endsAtMs = time.now() + seconds * 1_000;
	const fault = () => {
		const leftMs = endsAtMs - time.now();
		return leftMs > 0 ? unavailable(Math.floor(leftMs / 1_000)) : undefined;
	};
	service.faults.set({ fault });
	return endsAtMs;
}

it('items wait for a maintenance of 4 minutes, and each response is added once', async () => {
	const world = await createWorld();
	const { service, n8n } = world;
	const existing = service.store.responses(survey).length;
	const run = n8n.startNode(addEach, numbered(service, 30));
	await time.sleep(200);
	const endsAtMs = startMaintenance(world, 240);
	const { items, error } = await run.done;
	expect(error).toBeUndefined();
	expect(items).toHaveLength(30);
	expect(service.store.responses(survey)).toHaveLength(existing + 30);
	expect(time.now() - endsAtMs).toBeLessThan(10_000);
});

it('a run that would wait for more than five minutes says when the service is available again', async () => {
	const world = await createWorld();
	const { service, n8n } = world;
	const run = n8n.startNode(addEach, numbered(service, 1_000));
	await time.sleep(200);
	const startedAtMs = time.now();
	const endsAtMs = startMaintenance(world, 1_800);
	const { error } = await run.done;
	expect(time.now() - startedAtMs).toBeLessThan(10_000);
	const times = [0, 1_000, 2_000].map((ms) => formatTime(endsAtMs + ms));
	expect(times).toContain(
		error?.message.replace(/^.* \(status 503\)\. It asks to wait until /, ''),
	);
	expect(error?.description).toMatch(
		/^Run this again after that time\.[^]*Already sent \(.*\): items /,
	);
	expect(service.requests.filter(({ status }) => status === 503).length).toBeLessThanOrEqual(5);
});

const searchForms = async ({ n8n }: World) => await n8n.searchForms();
/** A trigger polls for the first time. */
const poll = async ({ n8n }: World) =>
	await n8n.runPoll({ formId: locator(contact) }, { workflowId: `at ${time.now()}` });
it.each([
	['a list in the editor', '/forms', searchForms],
	['a trigger', `/responses/${contact}`, poll],
])('%s waits at most a minute while 1,000 items run', async (_what, path, ask) => {
	const world = await createWorld();
	const { service, n8n } = world;
	const run = n8n.startNode(addEach, numbered(service, 1_000));
	for (const pauseMs of [100, 70_000]) {
		await time.sleep(pauseMs);
		const [begun, before] = [time.now(), service.requests.length];
		await ask(world);
		expect(time.now() - begun).toBeLessThan(62_000);
		expect(pathsOf(service.requests.slice(before))).toContain(path);
	}
	run.cancel();
	await run.done;
});
