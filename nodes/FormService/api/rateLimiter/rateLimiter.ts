import { isOfDay, readRefusal, REQUESTS_PER_MINUTE, shownBy, TOO_MANY_REQUESTS } from './limits';
import type { Headers, Refusal, Shown } from './limits';
import { RequestLog } from './requestLog';

/** The service's window: its minute starts with the first request after the last window ended. */
const WINDOW_MS = 60_000;

/**
 * Added to the end of a window: timers fire up to a millisecond early, and a service that counts its
 * windows by its own clock rounds.
 */
const WINDOW_MARGIN_MS = 25;

/** How long the day's limit is assumed to last if a refusal does not say. */
const UNKNOWN_DAY_MS = 60 * 60_000;

/** After this time, one request asks whether the day's limit is still used up, even if the refusal named a later time. */
const ASK_AGAIN_MS = 2 * 60 * 60_000;

/** With fewer replies in a window, clients that were seen in the window before may still be active. */
const REPLIES_TO_TELL = 10;

/** When the next request may leave, or that none may today. Times in milliseconds of the given clock. */
export type Decision =
	| { kind: 'send' }
	| { kind: 'wait'; until: number }
	| { kind: 'dayUsedUp'; until: number; allowed?: number };

/**
 * What the service has shown to be left of a window that has ended by `until`, and how many of our
 * requests have come back in it: other clients have spent the rest.
 */
type Sample = { remaining: number; at: number; until: number; replies: number };

/**
 * What an account may send without being refused, as far as can be known. The service does not say when
 * its window began; a sliding log does not need to know, and a reply that shows all but one request to
 * be left reveals a new window. Other clients of the account show in the headers: the lower of our own
 * count and of what was shown to remain applies. All times are milliseconds of one clock that never
 * goes back.
 */
export class RateLimiter {
	private readonly log = new RequestLog(WINDOW_MS + WINDOW_MARGIN_MS);

	/** The minute's limit, once a reply has shown it. */
	perMinute?: number;

	private sample: Sample = { remaining: Infinity, at: -Infinity, until: -Infinity, replies: 0 };

	/** How many clients share the account, estimated from the last replies: 1 if we are alone. */
	private sharers = 1;

	/** When the last request left that is known to have opened a window. */
	private openedAt = -Infinity;

	/** The service has refused: nothing is sent before. */
	private blockedUntil = -Infinity;

	/** The day's limit is used up; `probe` is the last request that asked whether it still is. */
	private day: { until: number; askAt: number; probe?: number; allowed?: number } = {
		until: -Infinity,
		askAt: Infinity,
	};

	/** Whether a request may leave now. */
	decide(now: number): Decision {
		const { open } = this.log;
		const { until, askAt, allowed } = this.day;
		if (now < until && (now < askAt || open > 0)) return { kind: 'dayUsedUp', until, allowed };
		if (now < this.blockedUntil) return { kind: 'wait', until: this.blockedUntil };
		const limit = this.perMinute ?? REQUESTS_PER_MINUTE;
		const isOver = now >= this.sample.until;
		const shown = isOver ? Infinity : this.sample.remaining - open;
		const isFree = limit > this.log.count(now) && shown > 0;
		if (isFree && open < this.mostOpen(isOver)) return { kind: 'send' };
		// a reply to an open request may reveal more before
		const end = isFree ? now + WINDOW_MS : shown > 0 ? now : this.sample.until;
		return { kind: 'wait', until: Math.max(this.log.freeAt(1, limit, now), end) };
	}

	/**
	 * Clients that share a window know only what the last reply has shown: each begins a window with one
	 * request, and takes its part of what is left at the end.
	 */
	private mostOpen(isOver: boolean): number {
		if (this.sharers <= 1) return Infinity;
		const part = isOver ? 1 : Math.floor(this.sample.remaining / this.sharers / 3);
		return Math.max(1, part);
	}

	/**
	 * A request leaves now.
	 *
	 * @returns its ID
	 */
	leave(now: number): number {
		const id = this.log.leave(now);
		if (now < this.day.until) this.day = { ...this.day, askAt: now + ASK_AGAIN_MS, probe: id };
		return id;
	}

	/** A request came back without a reply. The service may have counted it. */
	lost(id: number, now: number): void {
		this.log.end(id, now);
	}

	/**
	 * A request has its reply.
	 *
	 * @param clockNow epoch milliseconds by the machine's clock, which dates in the headers refer to
	 */
	replied(id: number, status: number, headers: Headers, now: number, clockNow = now): void {
		if (status === TOO_MANY_REQUESTS) {
			this.refused(id, readRefusal(headers, clockNow, this.perMinute), now);
			return;
		}
		// a late reply to a request from before the refusal does not end the day's block
		if (id === this.day.probe) this.day.until = -Infinity;
		const shown = shownBy(headers);
		const isOfMinute = shown !== undefined && !isOfDay(shown, this.perMinute);
		const leftAt = this.log.leftAt(id) ?? now;
		const isFirst = isOfMinute && shown.remaining === shown.limit - 1;
		// a second opener within the minute would mean that the service does not count at all
		if (isFirst && now >= this.openedAt + WINDOW_MS) {
			this.openedAt = leftAt;
			this.log.forgetBefore(id);
		}
		this.log.end(id, now);
		if (isOfMinute) this.learn(shown, leftAt, now);
	}

	/** What a reply shows of its window, and of other clients of the account. */
	private learn({ limit, remaining }: Shown, leftAt: number, now: number): void {
		const { sample } = this;
		const isLater = leftAt >= sample.at;
		const isNewWindow = leftAt >= sample.until || (isLater && remaining >= sample.remaining);
		const replies = isNewWindow ? 1 : sample.replies + 1;
		this.perMinute = Math.max(1, limit);
		this.sample = isNewWindow
			? { remaining, at: now, until: now + WINDOW_MS + WINDOW_MARGIN_MS, replies }
			: { ...sample, remaining: Math.min(remaining, sample.remaining), at: now, replies };
		// the service may already have counted our open requests: they are not other clients'
		const ours = replies + this.log.open;
		const others = Math.max(0, this.perMinute - this.sample.remaining - ours);
		const sharers = 1 + others / replies;
		this.sharers = replies < REPLIES_TO_TELL ? Math.max(sharers, this.sharers) : sharers;
	}

	/** A refused request does not count. Nothing more is sent until the wait is over. */
	private refused(id: number, { limit, allowed, waitMs }: Refusal, now: number): void {
		if (limit === 'day') {
			const until = Math.max(this.day.until, now + (waitMs ?? UNKNOWN_DAY_MS));
			this.day = { until, allowed, askAt: now + ASK_AGAIN_MS };
		} else {
			const endOfWindow = this.sample.until > now ? this.sample.until : now + WINDOW_MS;
			const until = waitMs === undefined ? endOfWindow : now + waitMs;
			this.blockedUntil = Math.max(this.blockedUntil, until);
			// requests that ended before belong to the window that refused, which is over by then
			this.log.forgetBefore(id);
			this.sample.until = Math.min(this.sample.until, this.blockedUntil);
		}
		this.log.forget(id);
	}
}
