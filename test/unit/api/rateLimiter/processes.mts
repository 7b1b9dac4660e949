import type { RateLimiter } from '../../../../nodes/FormService/api/rateLimiter/rateLimiter.ts';
import type { RequestQueue } from '../../../../nodes/FormService/api/rateLimiter/requestQueue.ts';
import { LimiterModel, pass } from './limiterModel.mts';

export const REQUESTS = 600;
/** How often a request is sent while it is refused for the minute's limit. */
const MAX_TRIES = 10;
const WINDOW_MS = 60_000;
/** 600 requests at 60 a minute: ten windows, of which the last takes a moment. */
export const IDEAL_MS = 9 * WINDOW_MS;

/** A time that leaps to whatever something waits for next. */
class LeapingTime {
	private time = 1_800_000_000_000;
	private readonly sleepers: Array<{ due: number; wake: () => void }> = [];

	readonly now = () => this.time;

	readonly sleep = async (ms: number) =>
		await new Promise<void>((wake) => void this.sleepers.push({ due: this.time + ms, wake }));

	/** Goes on until nothing waits any more. */
	async run(): Promise<void> {
		for (;;) {
			await new Promise((resolve) => setImmediate(resolve));
			if (this.sleepers.length === 0) return;
			this.time = Math.min(...this.sleepers.map(({ due }) => due));
			const due = this.sleepers.filter((sleeper) => sleeper.due <= this.time);
			for (const sleeper of due) {
				this.sleepers.splice(this.sleepers.indexOf(sleeper), 1);
				sleeper.wake();
			}
		}
	}
}

/** What is under test: its sources, or what they were built into. */
export type Limiting = {
	RateLimiter: typeof RateLimiter;
	RequestQueue: typeof RequestQueue;
};

/**
 * So many processes, each with a rate limiter of its own, that work off requests of one account.
 *
 * @param delays of the way there and back, in milliseconds, taken in turn
 */
export async function workOff(
	{ RateLimiter, RequestQueue }: Limiting,
	processes: number,
	delays: readonly number[],
) {
	const model = new LimiterModel();
	const time = new LeapingTime();
	const { now, sleep } = time;
	const refusals = new Map<string, number>();
	let turn = 0;
	let givenUp = 0;
	const delay = () => delays[turn++ % delays.length];
	const send = async (queue: RequestQueue, process: number) => {
		for (let sent = 1; ; sent++) {
			const ended = await pass(queue, { isRetry: sent > 1 }, async () => {
				await sleep(delay());
				const window = model.windowAt(now());
				const reply = model.arrive(now());
				if (reply.status === 429) {
					const key = `${process} in ${window}`;
					refusals.set(key, (refusals.get(key) ?? 0) + 1);
				}
				await sleep(delay());
				return reply;
			});
			if (ended.kind !== 'reply') throw new Error(ended.kind);
			if (ended.status !== 429) return;
			if (sent === MAX_TRIES) {
				givenUp++;
				return;
			}
		}
	};
	const start = now();
	const all = Array.from({ length: processes }, (_, process) => {
		const queue = new RequestQueue(new RateLimiter(), { now, sleep });
		const own = Math.floor((REQUESTS + process) / processes);
		return Array.from({ length: own }, async () => await send(queue, process));
	});
	const done = Promise.all(all.flat()).then(now);
	await time.run();
	return {
		givenUp,
		refused: [...refusals.values()].reduce((sum, one) => sum + one, 0),
		mostInAWindow: Math.max(0, ...refusals.values()),
		took: (await done) - start,
	};
}
