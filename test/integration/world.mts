import { afterAll, beforeEach, expect, onTestFinished, vi } from 'vitest';
import { startService } from '../service/index.mts';
import type { RecordedRequest, Service, ServiceOptions } from '../service/index.mts';
import { n8nFor, time, type N8n } from './harness.mts';

export type World = { service: Service; n8n: N8n };

let tokens = 0;

/** What secret attributes of each record have. */
export const SECRET = 'planted-secret';

/**
 * A service that lives in the tests' time. No other service of this process has had its
 * token: the package knows an account by its address and token, and a port comes again.
 */
export async function startTestService(options: ServiceOptions = {}): Promise<Service> {
	const { now, sleep: wait } = time;
	return await startService({
		now,
		wait,
		token: `test-token-${++tokens}`,
		secret: SECRET,
		...options,
	});
}

function worldOf(service: Service): World {
	return { service, n8n: n8nFor({ accessToken: service.token, baseUrl: service.url }) };
}

/** A service and an n8n with an account of it, for one test alone. */
export async function createWorld(options?: ServiceOptions): Promise<World> {
	const service = await startTestService(options);
	onTestFinished(async () => await service.close());
	return worldOf(service);
}

/** The same for the tests of one file. What tests add to the store stays. */
export async function running(options?: ServiceOptions): Promise<World> {
	const service = await startTestService({ perMinute: 10_000, ...options });
	beforeEach(() => {
		service.shapes.pageSize = undefined;
		service.faults.clear();
		service.requests.length = 0;
		service.visits.length = 0;
	});
	afterAll(async () => await service.close());
	return worldOf(service);
}

/** Waits until the service has got so many requests, and all that they lead to at once has happened. */
export async function answered(requests: readonly RecordedRequest[], count: number): Promise<void> {
	const came = () => expect(requests.length).toBeGreaterThanOrEqual(count);
	await vi.waitFor(came, { timeout: 30_000, interval: 1 });
	await time.settled();
}

export const pathsOf = (requests: readonly RecordedRequest[]) => requests.map(({ path }) => path);
