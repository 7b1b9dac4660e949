import { pull, sortBy } from 'lodash';
import {
	isDayLimit,
	parseRefusal,
	parseShown,
	REQUESTS_PER_DAY,
	REQUESTS_PER_MINUTE,
	TOO_MANY_REQUESTS,
	UNKNOWN_DAY_MS,
} from './limits';
import type { Headers, Refusal, Shown } from './limits';

/**
 * The service's window: its minute starts with the first request after the last window ended. The
 * margin is for timers, which fire up to a millisecond early, and for a service that rounds.
 */
const WINDOW_MS = 60_000 + 25;

const DAY_MS = 24 * 60 * 60_000;

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

	/** When the requests ended that may count for the day: at most as many as a day has. */
	private today: number[] = [];

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

	/**
	 * How many requests are left of the day, as far as it is known here. Undefined if replies show another limit
	 * a minute than the specification has: then the limit of the day is not known either.
	 */
	countLeft(now: number): number | undefined {
		if ((this.perMinute ?? REQUESTS_PER_MINUTE) !== REQUESTS_PER_MINUTE) return undefined;
		this.limitTimes(now);
		if (now < this.day.until) return 0;
		return Math.max(0, REQUESTS_PER_DAY - this.today.length);
	}

	/** A request is sent now. */
	start(now: number): SentRequest {
		const request = { startedAt: now, endedAt: Infinity };
		this.sent.push(request);
		return request;
	}

	/**
	 * A request has ended. Without a reply, the service may have counted the request.
	 *
	 * @returns what the reply refuses, if it does
	 */
	end(
		request: SentRequest,
		reply: { status: number; headers: Headers } | undefined,
		now: number,
	): Refusal | undefined {
		if (reply?.status === TOO_MANY_REQUESTS) {
			pull(this.sent, request);
			const isDayNearlyUsedUp = (this.countLeft(now) ?? Infinity) <= REQUESTS_PER_MINUTE;
			const { perMinute } = this;
			const refusal = parseRefusal(reply.headers, now, { perMinute, isDayNearlyUsedUp });
			this.block(refusal, now);
			return refusal;
		}
		request.endedAt = now;
		this.today.push(now);
		const shown = reply && parseShown(reply.headers);
		if (shown) this.learn(shown, request.startedAt, now);
		return undefined;
	}

	/** What a reply shows of its window or of the day, and so of other clients of the account. */
	private learn(shown: Shown, startedAt: number, now: number): void {
		const { limit, remaining } = shown;
		if (isDayLimit(shown, this.perMinute)) {
			const left = limit === REQUESTS_PER_DAY ? this.countLeft(now) : undefined;
			for (let more = remaining; more < (left ?? 0); more++) this.today.push(now);
			return;
		}
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
		const minuteMs = this.window.until > now ? this.window.until - now : WINDOW_MS;
		const ms = waitMs ?? (limit === 'day' ? UNKNOWN_DAY_MS : minuteMs);
		if (now + ms > this[limit].until) this[limit] = { until: now + ms, leftMs: ms, allowed };
		// after the wait that the service has named, another day begins
		if (limit === 'day' && waitMs !== undefined) this.today = [];
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
		const today = this.today.map((endedAt) => Math.min(endedAt, now));
		this.today = today.filter((endedAt) => endedAt + DAY_MS > now).slice(-REQUESTS_PER_DAY);
	}
}
