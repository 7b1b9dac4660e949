import type { INodeParameters } from 'n8n-workflow';
import { afterEach, describe, expect, it } from 'vitest';
import { demoForms, slow } from '../../service/index.mts';
import { locator, n8nFor, time } from '../harness.mts';
import { ssrfProtection } from '../n8n/core.mts';
import { unreachablePlaces } from '../servers.mts';
import { createWorld, pathsOf, until, type World } from '../world.mts';
import { addEach, numbered, numbersOf } from './adding.mts';

const { contact } = demoForms;

it('130 items take two minutes and a moment, none is refused, and each has its own output', async () => {
	const { service, n8n } = await createWorld();
	const begun = time.now();
	const { items, error } = await n8n.runNode(addEach, numbered(service, 130));
	const tookMs = time.now() - begun;
	expect(error).toBeUndefined();
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
	expect(numbersOf(service, items)).toEqual(Array.from({ length: 130 }, (_, index) => index));
	// and the fields of the form
	expect(service.requests).toHaveLength(131);
	expect(tookMs).toBeGreaterThan(120_000);
	expect(tookMs).toBeLessThan(150_000);
});

const searchForms = async ({ n8n }: World) => await n8n.searchForms();
const poll = async ({ n8n }: World) => await n8n.runPoll({ formId: locator(contact) });
const searchWhatItemsWant = async ({ n8n }: World) => {
	const bulk = n8n.startNode({ resource: 'form', operation: 'getAll' });
	await new Promise(setImmediate);
	await n8n.searchForms();
	bulk.cancel();
	await bulk.done;
};

it.each([
	['a list in the editor', '/forms', searchForms],
	['a list in the editor that other items want, too,', '/forms', searchWhatItemsWant],
	['a trigger', `/responses/${contact}`, poll],
])('%s goes before the items that wait for their turn', async (_what, path, ask) => {
	const limits = { perMinute: 5_000, perDay: 20_000 };
	const world = await createWorld(limits);
	const { service, n8n } = world;
	service.faults.set({ fault: slow(20) });
	const run = n8n.runNode(addEach, numbered(service, 50));
	await until(service.requests, 10);
	const before = service.requests.length;
	await ask(world);
	// as many as are open at a time left before
	const position = pathsOf(service.requests).indexOf(path);
	expect(position).toBeGreaterThanOrEqual(before);
	expect(position).toBeLessThanOrEqual(before + 5);
	expect((await run).items).toHaveLength(50);
});

describe('60 items that fail for a reason of their own node', () => {
	const places = unreachablePlaces();
	afterEach(() => void (ssrfProtection.enabled = false));

	it.each<[string, INodeParameters, string, RegExp]>([
		['the certificate', {}, 'a certificate that nobody vouches for', / was not accepted/],
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
