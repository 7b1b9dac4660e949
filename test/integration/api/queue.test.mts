import { range } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';
import { afterEach, describe, expect, it } from 'vitest';
import { demoForms, type Service } from '../../service/index.mts';
import { locator, n8nFor, time, type NodeRun } from '../harness.mts';
import { ssrfProtection } from '../n8n/core.mts';
import { unreachablePlaces } from '../servers.mts';
import { createWorld, pathsOf, type World } from '../world.mts';
import { addEach, numbered, numbersOf } from './adding.mts';

const { contact } = demoForms;

it('150 items take the two minutes that the limit demands, and none is refused', async () => {
	const { service, n8n } = await createWorld();
	const count = 150;
	const begun = time.now();
	const { items, error } = await n8n.runNode(addEach, numbered(service, count));
	const tookMs = time.now() - begun;
	expect(error).toBeUndefined();
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
	expect(numbersOf(service, items)).toEqual(range(count));
	// and the fields of the form
	expect(service.requests.map(({ status }) => status)).toEqual(Array(count + 1).fill(200));
	expect(tookMs).toBeGreaterThan(120_000);
	// with the time that a busy machine needs
	expect(tookMs).toBeLessThan(130_000);
});

it('of an account of which others use half, no item is given up, and few are refused', async () => {
	const { service, n8n } = await createWorld();
	const { error } = await shareWithOthers(service, n8n.startNode(addEach, numbered(service, 150)));
	expect(error).toBeUndefined();
	const own = service.requests.filter(({ path }) => path !== '/workspace');
	expect(own.filter(({ status }) => status === 200)).toHaveLength(151);
	// as many as are open at a time, in each of some six minutes
	expect(own.filter(({ status }) => status === 429).length).toBeLessThan(6 * 5);
});

/** Others send a request every two seconds while the items run. */
async function shareWithOthers({ baseUrl, token }: Service, { done }: { done: Promise<NodeRun> }) {
	let isDone = false;
	void done.finally(() => (isDone = true));
	while (!isDone) {
		await fetch(`${baseUrl}/workspace`, { headers: { authorization: `Bearer ${token}` } });
		await time.sleep(2_000);
	}
	return await done;
}

it('an outage costs 1,000 items that continue on fail at most 200 requests, and ends', async () => {
	const { service, n8n } = await createWorld();
	service.faults.set({ fault: 'unavailable', match: { method: 'POST' } });
	const input = numbered(service, 1_000);
	const { items } = await n8n.runNode(addEach, input, { continueOnFail: true });
	expect(items.filter(({ json }) => json.error !== undefined)).toHaveLength(1_000);
	expect(service.requests.length).toBeLessThan(200);
	service.faults.clear();
	await time.sleep(60_000);
	expect((await n8n.runNode(addEach, numbered(service, 1))).error).toBeUndefined();
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

describe('60 items that fail for a reason of their own node', () => {
	const places = unreachablePlaces();
	afterEach(() => void (ssrfProtection.enabled = false));

	it.each<[string, INodeParameters, string, RegExp]>([
		[
			'the certificate',
			{},
			'a certificate that nobody vouches for',
			/^Couldn't establish a secure connection/,
		],
		["n8n's SSRF protection", {}, '', /^n8n does not allow requests to/],
	])('are each sent, since the service works: %s', async (reason, requestOptions, place, text) => {
		const { service } = await createWorld();
		service.faults.set({ fault: 'silentBefore', match: { method: 'POST' } });
		ssrfProtection.enabled = reason.includes('SSRF');
		const { baseUrl } = (await places).find(({ name }) => name === place) ?? service;
		const n8n = n8nFor({ accessToken: service.token, baseUrl });
		const { items } = await n8n.runNode({ ...addEach, requestOptions }, numbered(service, 60), {
			continueOnFail: true,
		});
		const errors = new Set(items.map(({ json }) => json.error));
		expect([...errors]).toEqual([expect.stringMatching(text)]);
	});
});
