import { isOfDay, readRefusal, REQUESTS_PER_MINUTE, shownBy } from './limits';
import type { Headers, Shown } from './limits';
import { RequestLog } from './requestLog';

/** The service's window: its minute starts with the first request after the last one ended. */
const WINDOW_MS = 60_000;

/**
 * Added to the end of a window: timers fire up to a millisecond early, and a service that counts
 * its windows on a clock of its own rounds.
 */
const WINDOW_MARGIN_MS = 25;

/** How long the day's limit is taken to last when a refusal does not say. */
const UNKNOWN_DAY_MS = 60 * 60_000;

/** A day's limit that is used up is asked again after this time: what the refusal said may not hold. */
const ASK_AGAIN_MS = 2 * 60 * 60_000;

/** After fewer own replies in a window, others that were seen in the one before may still be there. */
const OWN_TO_TELL = 10;

/** When the next request may leave, or that none may today. Times in epoch milliseconds. */
export type Decision =
	| { kind: 'send' }
	| { kind: 'wait'; until: number }
	| { kind: 'dayUsedUp'; until: number; allowed?: number };

/**
 * What the service has shown to be left of a window that has ended at `until`, and how many own
 * requests have come back in it: the rest was spent by others.
 */
type Sample = { remaining: number; at: number; until: number; own: number };

/**
 * What an account may send, so that the service need not refuse any of it. The service does not say
 * when its window began. A sliding log needs not know it, and a reply that shows all but one request
 * to be left tells of a new window at once. Others on the account show in the headers: the lower of
 * the own count and what was shown to remain holds.
 */
export class RateLimiter {
	private readonly log = new RequestLog(WINDOW_MS + WINDOW_MARGIN_MS);

	/** Undefined until a reply has shown it. */
	private perMinute?: number;

	/** Of the present window, where it may not be over yet. */
	private sample: Sample = {
		remaining: Infinity,
		at: -Infinity,
		until: -Infinity,
		own: 0,
	};

	/** How many share the account, as far as the last replies tell: 1 where it is used here alone. */
	private sharers = 1;

	/** When the request left that opened the last window of which that is known. */
	private openedAt = -Infinity;

	/** The service has refused: nothing is sent before. */
	private blockedUntil = -Infinity;

	/** The day's limit is used up; `probe` is the last request that asked whether it still is. */
	private day: { until: number; askAt: number; probe?: number; allowed?: number } = {
		until: -Infinity,
		askAt: Infinity,
	};

	/** Whether a request may leave now. Never sends what the service would refuse, as far as can be known. */
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
		// a reply to what is open may tell more before
		const end = isFree ? now + WINDOW_MS : shown > 0 ? now : this.sample.until;
		return { kind: 'wait', until: Math.max(this.log.freeAt(1, limit, now), end) };
	}

	/**
	 * Others take from the same window at the same time, and each knows only what the last reply has
	 * shown: a window is begun with one request, and the last of it are taken by each in its part.
	 */
	private mostOpen(isOver: boolean): number {
		if (this.sharers <= 1) return Infinity;
		const part = isOver ? 1 : Math.floor(this.sample.remaining / this.sharers / 3);
		return Math.max(1, part);
	}

	/**
	 * A request leaves now.
	 *
	 * @returns its id
	 */
	leave(now: number): number {
		const id = this.log.leave(now);
		if (now < this.day.until) this.day = { ...this.day, askAt: now + ASK_AGAIN_MS, probe: id };
		return id;
	}

	/** A request came back without a reply; the service may have counted it. */
	lost(id: number, now: number): void {
		this.log.end(id, now);
	}

	/** A request has its reply, which tells of the window, of others on the account, or is a refusal. */
	replied(id: number, status: number, headers: Headers, now: number): void {
		const shown = shownBy(headers);
		if (status === 429) {
			this.refused(id, headers, now);
			return;
		}
		// late replies to what left before the refusal do not end the day's block
		if (id === this.day.probe) this.day.until = -Infinity;
		const leftAt = this.log.leftAt(id) ?? now;
		const isOfMinute = shown !== undefined && !isOfDay(shown, this.perMinute);
		if (isOfMinute && this.isOpener(shown, now)) {
			this.openedAt = leftAt;
			this.log.forgetBefore(id);
		}
		this.log.end(id, now);
		if (isOfMinute) this.learn(shown, leftAt, now);
	}

	/** A second one within the minute would say that the service does not count at all. */
	private isOpener({ limit, remaining }: Shown, now: number): boolean {
		return remaining === limit - 1 && now >= this.openedAt + WINDOW_MS;
	}

	private learn({ limit, remaining }: Shown, leftAt: number, now: number): void {
		this.perMinute = Math.max(1, limit);
		const { sample } = this;
		const isLater = leftAt >= sample.at;
		const isNewWindow = leftAt >= sample.until || (isLater && remaining >= sample.remaining);
		const until = now + WINDOW_MS + WINDOW_MARGIN_MS;
		const least = Math.min(remaining, sample.remaining);
		this.sample = isNewWindow
			? { remaining, at: now, until, own: 1 }
			: { ...sample, remaining: least, at: now, own: sample.own + 1 };
		this.countSharers(this.perMinute - this.sample.remaining);
	}

	/** Own requests that are open may have been counted by the service already: they are no others'. */
	private countSharers(spent: number): void {
		const { own } = this.sample;
		const others = Math.max(0, spent - own - this.log.open);
		const sharers = 1 + others / own;
		this.sharers = own < OWN_TO_TELL ? Math.max(sharers, this.sharers) : sharers;
	}

	/** A refused request does not count; nothing more is sent until the service takes requests again. */
	private refused(id: number, headers: Headers, now: number): void {
		const { limit, allowed, waitMs } = readRefusal(headers, now, this.perMinute);
		if (limit === 'day') {
			const until = Math.max(this.day.until, now + (waitMs ?? UNKNOWN_DAY_MS));
			this.day = { until, allowed, askAt: now + ASK_AGAIN_MS };
		} else {
			const endOfWindow = this.sample.until > now ? this.sample.until : now + WINDOW_MS;
			const until = waitMs === undefined ? endOfWindow : now + waitMs;
			this.blockedUntil = Math.max(this.blockedUntil, until);
			// what had ended before is of the window that refused, and that is over by then
			this.log.forgetBefore(id);
			this.sample.until = Math.min(this.sample.until, this.blockedUntil);
		}
		this.log.forget(id);
	}
}
