import { RequestLog } from '../api/rateLimiter/requestLog';
import { DAY_MS, MINUTE_MS } from './schedule';

/** One form of one trigger, or the list of forms of one. Times in epoch milliseconds. */
type Sharer = {
	/** When n8n last polled the trigger, and how long after the poll before it. */
	tickAt: number;
	interval: number;
	requestsPerDay: number;
	/** How often it is polled, next to the others. */
	weight: number;
	/** Requests of a day that it needs at most. */
	most: number;
	/** The requests of a poll that is due and finds too few left, and since when. */
	waiting?: { requests: number; since: number };
};

export type Tick = Pick<Sharer, 'requestsPerDay' | 'weight'> & {
	/** Whether the trigger was active before: if not, that tells nothing of its ticks. */
	isTick: boolean;
	most?: number;
};

/**
 * A trigger whose next tick is so late takes no part in the division: it is switched off. The times
 * between ticks differ, and a trigger that was just switched on has shown none yet.
 */
const LATE_TICKS = 2.5;
const SHORTEST_ACTIVE_MS = 3 * MINUTE_MS;

/** No form is polled less often than a quarter of the even division, or more often than four times. */
const WIDEST = 4;

/**
 * The part of the budget that is kept for polls that cannot wait: first polls, and those of triggers
 * that n8n polls rarely. One trigger that can always poll would leave them nothing.
 */
const KEPT_SHARE = 0.01;

/** A trigger that has not polled for so long may have its next tick in a week. */
export const RARE_MS = DAY_MS / 2;

/** The requests that the triggers of one account, in this process, make in any 24 hours. */
export class Budget {
	private readonly log = new RequestLog(DAY_MS);
	private readonly sharers = new Map<string, Sharer>();

	/** n8n polls the trigger that watches this form. */
	tick(key: string, { isTick, most = Infinity, ...rest }: Tick, now: number): void {
		for (const [other, { tickAt }] of this.sharers) {
			if (now - tickAt >= DAY_MS) this.sharers.delete(other);
		}
		const known = this.sharers.get(key);
		const interval = isTick && known !== undefined ? now - known.tickAt : 0;
		this.sharers.set(key, { ...known, ...rest, most, tickAt: now, interval });
	}

	/** Where the triggers differ in their Requests per Day, the largest is the account's. */
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
	 * The requests that a poll which can wait may take: others that have waited for longer go first.
	 *
	 * @param lastAt when the form was last polled
	 */
	leftFor(key: string, lastAt: number, now: number): number {
		const since = this.sharers.get(key)?.waiting?.since ?? now;
		let left = this.left(now);
		if (now - lastAt < RARE_MS) left -= Math.ceil(this.limit * KEPT_SHARE);
		for (const { waiting } of this.active(now)) {
			if (waiting !== undefined && waiting.since < since) left -= waiting.requests;
		}
		return left;
	}

	/**
	 * A poll of the form is due and has to wait for so many requests; undefined when it need not any more.
	 *
	 * @returns whether it begins to wait
	 */
	wait(key: string, requests: number | undefined, now: number): boolean {
		const sharer = this.sharers.get(key);
		if (sharer === undefined) return false;
		const since = sharer.waiting?.since;
		sharer.waiting = requests === undefined ? undefined : { requests, since: since ?? now };
		return requests !== undefined && since === undefined;
	}

	/** When so many requests will be left. */
	freeAt(requests: number, now: number): number {
		return this.log.freeAt(requests, this.limit, now);
	}

	/** Milliseconds that each request of the form has to wait, so that all stay within the budget. */
	spacing(key: string, now: number): number {
		const active = this.active(now);
		const sharer = this.sharers.get(key);
		if (sharer === undefined) return (DAY_MS * (active.length + 1)) / this.limit;
		return DAY_MS / requestsOf(sharer, active, this.limit);
	}

	/** Sets the requests of a poll aside while it lasts, so that no other poll takes them too. */
	reserve(): Reservation {
		return new Reservation(this.log);
	}

	private active(now: number): Sharer[] {
		return [...this.sharers.values()].filter(
			({ tickAt, interval }) => now - tickAt < Math.max(LATE_TICKS * interval, SHORTEST_ACTIVE_MS),
		);
	}
}

/** The requests of one poll. */
export class Reservation {
	private readonly ids: number[] = [];

	constructor(private readonly log: RequestLog) {}

	/** Sets as many aside as the poll has sent and will send next. */
	hold(requests: number, now: number): void {
		while (this.ids.length < requests) this.ids.push(this.log.leave(now));
	}

	/** The poll has ended: what it sent counts, and nothing else. */
	release(sent: number, now: number): void {
		this.hold(sent, now);
		this.ids.forEach((id, index) => (index < sent ? this.log.end(id, now) : this.log.forget(id)));
	}
}

/** Steps in which the factor is narrowed down; each halves what it can be. */
const STEPS = 40;

/**
 * How many requests of a day are one sharer's: in proportion to its weight, no more than it needs,
 * and within the bounds around the even division.
 */
function requestsOf(sharer: Sharer, active: readonly Sharer[], limit: number): number {
	const evenly = limit / Math.max(1, active.length);
	const rest = active.filter(({ most }) => most > evenly);
	const taken = active.reduce((sum, { most }) => sum + (most > evenly ? 0 : most), 0);
	const even = (limit - taken) / Math.max(1, rest.length);
	const partOf = ({ weight, most }: Sharer, factor: number) =>
		Math.min(most, Math.max(even / WIDEST, Math.min(even * WIDEST, weight * factor)));
	let [least, greatest] = [0, even * WIDEST * WIDEST];
	for (let step = 0; step < STEPS; step++) {
		const factor = (least + greatest) / 2;
		const sum = rest.reduce((total, one) => total + partOf(one, factor), 0);
		if (sum > limit - taken) greatest = factor;
		else least = factor;
	}
	return partOf(sharer, least);
}
