import { setTimeout } from 'node:timers/promises';
import { time } from '../harness.mts';
import type { RecordedRequest, Service } from '../../service/index.mts';

type Span = { from: number; to: number };

/**
 * Makes every reply of the service late, and counts on the service's side how many requests are open
 * at a time: from the arrival of a request until its reply leaves.
 *
 * @param milliseconds how late a reply is
 */
export function watchOpen({ faults }: Service, milliseconds: number): { mostOpen(): number } {
	const spans: Span[] = [];
	faults.set({
		fault: {
			name: `slow by ${milliseconds} ms, and watched`,
			stage: 'after',
			async spoil({ request, now, wait }, body) {
				const span = { from: request.call.record.at, to: Infinity };
				spans.push(span);
				await wait(milliseconds);
				span.to = now();
				return body;
			},
		},
	});
	return {
		mostOpen: () =>
			Math.max(...spans.map(({ from }) => spans.filter((one) => isOpenAt(one, from)).length)),
	};
}

function isOpenAt({ from, to }: Span, moment: number): boolean {
	return from <= moment && moment < to;
}

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

/** How many of the requests were refused for a limit. */
export function refused(requests: readonly RecordedRequest[]): number {
	return requests.filter(({ status }) => status === 429).length;
}

/** The paths of requests. */
export function pathsOf(requests: readonly RecordedRequest[]): string[] {
	return requests.map(({ path }) => path);
}
