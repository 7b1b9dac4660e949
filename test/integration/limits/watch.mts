import { expect, vi } from 'vitest';
import { time } from '../harness.mts';
import type { RecordedRequest } from '../../service/index.mts';

/** Waits until the service has got so many requests. */
export async function until(requests: readonly RecordedRequest[], count: number): Promise<void> {
	const came = () => expect(requests.length).toBeGreaterThanOrEqual(count);
	await vi.waitFor(came, { timeout: 30_000, interval: 1 });
}

/** Waits until the service has got so many requests, and all that they lead to at once has happened. */
export async function answered(requests: readonly RecordedRequest[], count: number): Promise<void> {
	await until(requests, count);
	await time.settled();
}

export const pathsOf = (requests: readonly RecordedRequest[]) => requests.map(({ path }) => path);
