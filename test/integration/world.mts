import { afterAll, beforeEach, expect, onTestFinished, vi } from 'vitest';
import { startService } from '../service/index.mts';
import type { RecordedRequest, Service, ServiceOptions } from '../service/index.mts';
import { n8nFor, time, type N8n } from './harness.mts';

export type World = { service: Service; n8n: N8n };

let tokens = 0;

/** What secret attributes of each record have. */
export const SECRET = 'planted-secret';

/**
 * A service that lives in the tests' time, and an n8n with an account of it. No other service of this process has
 * had its token: the package knows an account by its address and token, and a port comes again.
 */
async function startWorld(options: ServiceOptions = {}): Promise<World> {
	const { now, sleep: wait } = time;
	const token = `test-token-${++tokens}`;
	const service = await startService({ now, wait, token, secret: SECRET, ...options });
	return { service, n8n: n8nFor({ accessToken: token, baseUrl: service.url }) };
}

/** A service and an n8n for one test alone. */
export async function createWorld(options?: ServiceOptions): Promise<World> {
	const world = await startWorld(options);
	onTestFinished(async () => await world.service.close());
	return world;
}

/** The same for the tests of one file. What tests add to the store stays. */
export async function running(options?: ServiceOptions): Promise<World> {
	const world = await startWorld({ perMinute: 10_000, ...options });
	const { shapes, faults, requests, visits, close } = world.service;
	beforeEach(() => {
		shapes.pageSize = undefined;
		faults.clear();
		requests.length = 0;
		visits.length = 0;
	});
	afterAll(close);
	return world;
}

/** Waits until the service has got so many requests, and all that they lead to at once has happened. */
export async function answered(requests: readonly RecordedRequest[], count: number): Promise<void> {
	const came = () => expect(requests.length).toBeGreaterThanOrEqual(count);
	await vi.waitFor(came, { timeout: 30_000, interval: 1 });
	await time.settled();
}

export const pathsOf = (requests: readonly RecordedRequest[]) => requests.map(({ path }) => path);
