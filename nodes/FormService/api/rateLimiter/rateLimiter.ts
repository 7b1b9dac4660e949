import { pull, sortBy } from 'lodash';
import {
	isDayLimit,
	parseRefusal,
	parseShown,
	REQUESTS_PER_MINUTE,
	TOO_MANY_REQUESTS,
} from './limits';
import type { Headers, Refusal, Shown } from './limits';

/**
 * The service's window: its minute starts with the first request after the last window ended. The
 * margin is for timers, which fire up to a millisecond early, and for a service that rounds.
 */
const WINDOW_MS = 60_000 + 25;

/** When the next request may be sent, or that none may today. `until` is in epoch milliseconds. */
export type Decision =
	| { kind: 'send' }
	| { kind: 'wait'; until: number }
	| { kind: 'dayUsedUp'; until: number; allowed?: number };

/** A request that was sent; `endedAt` is Infinity while it is open. */
export type SentRequest = { startedAt: number; endedAt: number };

/** Nothing is sent before `until`. `leftMs` were left when this was last looked at. */
type Block = { until: number; leftMs: number; allowed?: number };

const NO_BLOCK: Block = { until: -Infinity, leftMs: 0 };

/** Ends a block no later than what was left of it, should the clock have been set back. */
function limitBlock(block: Block, now: number): Block {
	const leftMs = Math.min(block.leftMs, block.until - now);
	return { ...block, leftMs, until: now + leftMs };
}

/**
 * What an account may send without being refused, as far as can be known. The service does not say when
 * its window began, and a sliding log does not need to know: a request counts from its start until one
 * window after its reply, and by then every window that can have counted it is over. Other clients of the
 * account show in the headers: the lower of our own count and of what was shown to remain applies. All
 * times are epoch milliseconds of a clock that can be corrected: no wait ends further ahead than its limit.
 */
export class RateLimiter {
	/** The minute's limit, once a reply has shown it. */
	perMinute?: number;

	/** The requests that count. */
	private sent: SentRequest[] = [];

	/** What a reply at this time has shown to be left of a window that has ended by `until`. */
	private window = { remaining: Infinity, shownAt: -Infinity, until: -Infinity };

	/** Refusals for the limit of the minute and of the day. */
	private minute = NO_BLOCK;

	private day = NO_BLOCK;

	/** Whether a request may be sent now. */
	decide(now: number): Decision {
		this.limitTimes(now);
		const { until, allowed } = this.day;
		if (now < until) return { kind: 'dayUsedUp', until, allowed };
		const open = this.sent.filter(({ endedAt }) => endedAt === Infinity).length;
		const freeAt = Math.max(
			this.minute.until,
			this.window.remaining > open ? now : this.window.until,
			this.findFreeTime(now),
		);
		return freeAt <= now ? { kind: 'send' } : { kind: 'wait', until: freeAt };
	}

	/** A request is sent now. */
	start(now: number): SentRequest {
		const request = { startedAt: now, endedAt: Infinity };
		this.sent.push(request);
		return request;
	}

	/** A request has ended. Without a reply, the service may have counted the request. */
	end(
		request: SentRequest,
		reply: { status: number; headers: Headers } | undefined,
		now: number,
	): void {
		if (reply?.status === TOO_MANY_REQUESTS) {
			pull(this.sent, request);
			this.block(parseRefusal(reply.headers, now, this.perMinute), now);
			return;
		}
		request.endedAt = now;
		const shown = reply && parseShown(reply.headers);
		if (shown && !isDayLimit(shown, this.perMinute)) this.learn(shown, request.startedAt, now);
	}

	/** What a reply shows of its window, and so of other clients of the account. */
	private learn({ limit, remaining }: Shown, startedAt: number, now: number): void {
		const { window } = this;
		this.perMinute = Math.max(1, limit);
		// a later request finds as much or more left only in a new window
		this.window =
			startedAt >= window.until || (startedAt >= window.shownAt && remaining >= window.remaining)
				? { remaining, shownAt: now, until: now + WINDOW_MS }
				: { ...window, remaining: Math.min(remaining, window.remaining), shownAt: now };
	}

	/** A later refusal does not shorten the wait of an earlier one. */
	private block({ limit, allowed, waitMs }: Refusal, now: number): void {
		const ms = waitMs ?? (this.window.until > now ? this.window.until - now : WINDOW_MS);
		if (now + ms > this[limit].until) this[limit] = { until: now + ms, leftMs: ms, allowed };
		// the window that refused is over by then
		if (limit === 'minute') this.window.until = Math.min(this.window.until, this.minute.until);
	}

	/**
	 * When one more request will fit under the limit: now, or when enough requests have ended a window
	 * ago. Open requests are assumed to end now, which is the earliest.
	 */
	private findFreeTime(now: number): number {
		const surplus = this.sent.length + 1 - (this.perMinute ?? REQUESTS_PER_MINUTE);
		if (surplus <= 0) return now;
		const ends = sortBy(this.sent.map(({ endedAt }) => Math.min(endedAt, now)));
		return ends[surplus - 1] + WINDOW_MS;
	}

	/** Drops what no longer counts. If the clock was set back, what lies in its future counts as now. */
	private limitTimes(now: number): void {
		for (const request of this.sent) {
			if (request.endedAt !== Infinity) request.endedAt = Math.min(request.endedAt, now);
		}
		this.sent = this.sent.filter(({ endedAt }) => endedAt + WINDOW_MS > now);
		this.minute = limitBlock(this.minute, now);
		this.day = limitBlock(this.day, now);
		this.window.until = Math.min(this.window.until, now + WINDOW_MS);
		this.window.shownAt = Math.min(this.window.shownAt, now);
	}
}
