import { clamp } from 'lodash';
import { RequestLog } from '../api/rateLimiter/requestLog';
import { DAY_MS, MINUTE_MS } from './schedule';

/** One form of one trigger, or the list of forms of one. Times in epoch milliseconds. */
type Sharer = {
	/** When n8n last polled the trigger, and how long after the poll before. */
	polledAt: number;
	interval: number;
	requestsPerDay: number;
	/** How often it is polled beside the others. */
	weight: number;
	/** The most requests a day that it needs. */
	most: number;
	/** The requests of a poll that is due and finds too few left, and since when. */
	waiting?: { requests: number; since: number };
};

/** A poll of n8n for one sharer. */
export type SharerPoll = Pick<Sharer, 'requestsPerDay' | 'weight'> & {
	/** Whether the trigger was active before. Otherwise the time since the last poll is no interval. */
	isScheduled: boolean;
	most?: number;
};

/**
 * A trigger whose next poll is this late takes no share: it is switched off. The intervals vary, and a
 * trigger that was just switched on has none yet.
 */
const LATE_INTERVALS = 2.5;
const SHORTEST_ACTIVE_MS = 3 * MINUTE_MS;

/** No form is polled less often than a quarter of an even share, or more often than four times as much. */
const WIDEST = 4;

/**
 * The part of the allowance that is kept for polls that cannot wait: first polls, and those of triggers
 * that n8n polls rarely. One trigger that can always poll would leave them nothing.
 */
const RESERVE = 0.01;

/** The next poll of a trigger that n8n has not polled for this long may be a week away. */
const RARE_MS = DAY_MS / 2;

/** The requests that the triggers of one account send from this process in any 24 hours. */
export class RequestAllowance {
	private readonly log = new RequestLog(DAY_MS);
	private readonly sharers = new Map<string, Sharer>();

	/** n8n polls the trigger that watches this form. */
	polled(key: string, { isScheduled, most = Infinity, ...rest }: SharerPoll, now: number): void {
		for (const [other, { polledAt }] of this.sharers) {
			if (now - polledAt >= DAY_MS) this.sharers.delete(other);
		}
		const known = this.sharers.get(key);
		const interval = isScheduled && known !== undefined ? now - known.polledAt : 0;
		this.sharers.set(key, { ...known, ...rest, most, polledAt: now, interval });
	}

	/** Whether no trigger has used it for a day. */
	isUnused(now: number): boolean {
		return (
			this.log.count(now) === 0 &&
			[...this.sharers.values()].every(({ polledAt }) => now - polledAt >= DAY_MS)
		);
	}

	/** If the triggers differ in Requests per Day, the largest number is the account's. */
	get limit(): number {
		let limit = 1;
		for (const { requestsPerDay } of this.sharers.values()) limit = Math.max(limit, requestsPerDay);
		return limit;
	}

	/** The requests that are left of the last 24 hours. */
	left(now: number): number {
		return this.limit - this.log.count(now);
	}

	/**
	 * The requests that a poll may take if it can wait: polls that have waited longer go first.
	 *
	 * @param lastAt when the form was last polled
	 */
	leftFor(key: string, lastAt: number, now: number): number {
		const since = this.sharers.get(key)?.waiting?.since ?? now;
		let left = this.left(now);
		if (now - lastAt < RARE_MS) left -= Math.ceil(this.limit * RESERVE);
		for (const { waiting } of this.active(now)) {
			if (waiting !== undefined && waiting.since < since) left -= waiting.requests;
		}
		return left;
	}

	/**
	 * A poll of the form is due and has to wait for this many requests; undefined if none has to.
	 *
	 * @returns whether the wait has just begun
	 */
	wait(key: string, requests: number | undefined, now: number): boolean {
		const sharer = this.sharers.get(key);
		if (sharer === undefined) return false;
		const since = sharer.waiting?.since;
		sharer.waiting = requests === undefined ? undefined : { requests, since: since ?? now };
		return requests !== undefined && since === undefined;
	}

	/** When this many requests will be left. */
	freeAt(requests: number, now: number): number {
		return this.log.freeAt(requests, this.limit, now);
	}

	/** Reserves a request that is about to be sent, so that no other poll takes it too. Gives its id. */
	reserve(now: number): number {
		return this.log.leave(now);
	}

	/** The request has ended, and has taken this many: with redirects more than one, or none if it was not sent. */
	settle(id: number, requests: number, now: number): void {
		if (requests === 0) this.log.forget(id);
		else this.log.end(id, now);
		for (let more = 1; more < requests; more++) this.log.end(this.log.leave(now), now);
	}

	/** Milliseconds that each request of the form waits, so that all stay within the allowance. */
	spacing(key: string, now: number): number {
		const active = this.active(now);
		const sharer = this.sharers.get(key);
		if (sharer === undefined) return (DAY_MS * (active.length + 1)) / this.limit;
		return DAY_MS / shareOf(sharer, active, this.limit);
	}

	private active(now: number): Sharer[] {
		return [...this.sharers.values()].filter(
			({ polledAt, interval }) =>
				now - polledAt < Math.max(LATE_INTERVALS * interval, SHORTEST_ACTIVE_MS),
		);
	}
}

/**
 * The requests a day of one sharer: in proportion to its weight, within the bounds around an even share,
 * and no more than it needs. If the bounds make the sum too large, all shares shrink.
 */
function shareOf(sharer: Sharer, active: readonly Sharer[], limit: number): number {
	const evenly = limit / Math.max(1, active.length);
	if (sharer.most <= evenly) return sharer.most;
	const modest = active.filter(({ most }) => most <= evenly);
	const rest = limit - modest.reduce((sum, { most }) => sum + most, 0);
	const others = active.filter(({ most }) => most > evenly);
	const weights = others.reduce((sum, { weight }) => sum + weight, 0);
	const partOf = ({ weight }: Sharer) =>
		clamp(weight / weights, 1 / (WIDEST * others.length), WIDEST / others.length);
	const parts = others.reduce((sum, one) => sum + partOf(one), 0);
	return (rest * partOf(sharer)) / Math.max(1, parts);
}
