import { setTimeout } from 'node:timers/promises';
import { time } from '../harness.mts';
import type { RecordedRequest } from '../../service/index.mts';

/** Waits until the service has got so many requests. */
export async function until(requests: readonly RecordedRequest[], count: number): Promise<void> {
	const giveUpAt = Date.now() + 30_000;
	while (requests.length < count) {
		if (Date.now() > giveUpAt) throw new Error(`Only ${requests.length} of ${count} requests came`);
		await setTimeout(1);
	}
}

/** Waits until the service has got so many requests, and all that they lead to at once has happened. */
export async function answered(requests: readonly RecordedRequest[], count: number): Promise<void> {
	await until(requests, count);
	await time.settled();
}

export const pathsOf = (requests: readonly RecordedRequest[]) => requests.map(({ path }) => path);
