import lodash from 'lodash';
import type {
	Job,
	RequestResult,
	RequestQueue,
} from '../../../../nodes/FormService/api/request/requestQueue.ts';
import { createRateLimitFailure } from '../../../../nodes/FormService/api/request/classify.ts';
import type { RequestFailure } from '../../../../nodes/FormService/api/failures.ts';
import { decide } from '../../../service/specification/limiter.mts';
import type { Decision, Limits, Usage } from '../../../service/specification/limiter.mts';
import type { VirtualTime } from '../../../time.mts';

/** The limits of the service in virtual time, and clients that send requests through queues. */

/** How often a request is sent while it is refused for the minute's limit. */
const MAX_TRIES = 10;

/** The limits of an account at the stand-in for the service. */
export class LimitedService {
	/** Of each request of a queue that was refused, the end of its minute. */
	readonly refusals: number[] = [];

	private usage?: Usage;
	private readonly now: () => number;
	private readonly limits: Limits;

	constructor({ now }: VirtualTime, { perMinute = 60, perDay = 1_440 }: Partial<Limits> = {}) {
		this.now = now;
		this.limits = { perMinute, perDay };
	}

	/** A request of a queue arrives. */
	arrive(): Decision {
		const decision = this.take();
		if (!decision.isAllowed) this.refusals.push(this.usage?.minute.endMs ?? 0);
		return decision;
	}

	/** A request of any client of the account arrives. */
	take(): Decision {
		const decision = decide(this.usage, this.limits, this.now());
		this.usage = decision.usage;
		return decision;
	}
}

export const countMostRefused = ({ refusals }: LimitedService) =>
	Math.max(0, ...Object.values(lodash.countBy(refusals)));

/** Sends a request in its turn, and says how it ended; "lost" if sending threw. */
export async function pass(
	queue: RequestQueue,
	job: Partial<Job>,
	send: () => Promise<RequestResult>,
): Promise<RequestResult | RequestFailure | 'lost'> {
	const slot = await queue.acquireSlot({ priority: 'low', isRetry: false, ...job });
	if ('reason' in slot) return slot;
	const outcome = await send().catch(() => undefined);
	queue.releaseSlot(slot, outcome);
	return outcome ?? 'lost';
}

/** How a request ended: "ok", or the reason of its failure. */
export function outcomeOf(end: RequestResult | RequestFailure | 'lost'): string {
	if (typeof end === 'string') return end;
	return 'reason' in end ? end.reason : (end.requestFailure?.reason ?? 'ok');
}

/** When a request is asked for, and how long it takes to the service and back. */
export type Asked = { atMs: number; thereMs: number; backMs: number; priority?: Job['priority'] };

/** Sends requests through a queue to the service, and again while they are refused for the minute. */
export async function sendAll(
	{ now, sleep }: VirtualTime,
	service: LimitedService,
	queue: RequestQueue,
	asked: readonly Asked[],
) {
	const seen = { open: 0, mostOpen: 0, sentWhileWaiting: 0 };
	let refused = { atMs: -Infinity, waitMs: 0 };
	const send = async ({ atMs, thereMs, backMs, priority = 'low' }: Asked) => {
		await sleep(atMs);
		for (let tries = 1; ; tries++) {
			const end = await pass(queue, { priority, isRetry: tries > 1 }, async () => {
				seen.mostOpen = Math.max(seen.mostOpen, ++seen.open);
				// what is sent in the very moment of a refusal cannot know of it
				const sinceMs = now() - refused.atMs;
				if (sinceMs > 0 && sinceMs < refused.waitMs) seen.sentWhileWaiting++;
				await sleep(thereMs);
				const { isAllowed, headers } = service.arrive();
				await sleep(backMs);
				seen.open--;
				if (isAllowed) return { headers };
				refused = { atMs: now(), waitMs: Number(headers['retry-after']) * 1_000 };
				return { headers, requestFailure: createRateLimitFailure(headers, now()) };
			});
			if (outcomeOf(end) !== 'minuteLimit' || tries === MAX_TRIES) return outcomeOf(end);
		}
	};
	return { outcomes: await Promise.all(asked.map(send)), ...seen };
}
