import {
	isDayLimit,
	parseRefusal,
	parseShown,
	REQUESTS_PER_MINUTE,
	TOO_MANY_REQUESTS,
} from './limits';
import type { Headers, Refusal, Shown } from './limits';
import { RequestLog } from './requestLog';

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
 * its window began; a sliding log does not need to know. Other clients of the account show in the
 * headers: the lower of our own count and of what was shown to remain applies. All times are epoch
 * milliseconds of a clock that can be corrected: no wait ends further ahead than its limit.
 */
export class RateLimiter {
	/** The minute's limit, once a reply has shown it. */
	perMinute?: number;

	private readonly log = new RequestLog(WINDOW_MS);

	/** What a reply at this time has shown to be left of a window that has ended by `until`. */
	private window = { remaining: Infinity, shownAt: -Infinity, until: -Infinity };

	/** Refusals for the limit of the minute and of the day. */
	private minute = NO_BLOCK;

	private day = NO_BLOCK;

	/** Whether a request may be sent now. */
	decide(now: number): Decision {
		this.limitWaits(now);
		const { until, allowed } = this.day;
		if (now < until) return { kind: 'dayUsedUp', until, allowed };
		const isSpent = this.window.remaining <= this.log.open;
		const freeAt = Math.max(
			this.minute.until,
			isSpent ? this.window.until : now,
			this.log.findFreeTime(this.perMinute ?? REQUESTS_PER_MINUTE, now),
		);
		return freeAt <= now ? { kind: 'send' } : { kind: 'wait', until: freeAt };
	}

	/**
	 * A request is sent now.
	 *
	 * @returns its ID
	 */
	start(now: number): number {
		return this.log.recordStart(now);
	}

	/**
	 * A request has ended. Without a reply, the service may have counted the request.
	 *
	 * @param reply undefined if none came
	 */
	end(id: number, reply: { status: number; headers: Headers } | undefined, now: number): void {
		if (reply?.status === TOO_MANY_REQUESTS) {
			this.log.forget(id);
			this.block(parseRefusal(reply.headers, now, this.perMinute), now);
			return;
		}
		const startedAt = this.log.getStart(id) ?? now;
		this.log.recordEnd(id, now);
		const shown = reply && parseShown(reply.headers);
		if (shown && !isDayLimit(shown, this.perMinute)) this.learn(shown, startedAt, now);
	}

	/** What a reply shows of its window, and so of other clients of the account. */
	private learn({ limit, remaining }: Shown, startedAt: number, now: number): void {
		const { window } = this;
		const isLater = startedAt >= window.shownAt && remaining >= window.remaining;
		const isNewWindow = startedAt >= window.until || isLater;
		this.perMinute = Math.max(1, limit);
		this.window = isNewWindow
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

	private limitWaits(now: number): void {
		this.minute = limitBlock(this.minute, now);
		this.day = limitBlock(this.day, now);
		this.window.until = Math.min(this.window.until, now + WINDOW_MS);
		this.window.shownAt = Math.min(this.window.shownAt, now);
	}
}
