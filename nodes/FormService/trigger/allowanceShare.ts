import { DAY_MS, MINUTE_MS } from './pollSchedule';
import type { Trigger } from './world';

/** Requests of one look. They count from its end on, which is the later; until then, `at` is Infinity. */
type Spent = { readonly look: number; readonly at: number; readonly requests: number };

/** A trigger on the account: when n8n last polled it, and how long after the poll before it. */
type Sharer = {
	readonly tickAt: number;
	readonly interval: number;
	readonly requestsPerDay: number;
	/** The requests of a look that is due and finds too few left, and since when. */
	readonly waiting?: { readonly requests: number; readonly since: number };
};

/** What the triggers of one account have asked for lately, in this process. Times in epoch milliseconds. */
export type AllowanceShare = {
	readonly spent: readonly Spent[];
	readonly sharers: ReadonlyMap<string, Sharer>;
};

export const freshShare: AllowanceShare = { spent: [], sharers: new Map() };

/**
 * A trigger whose next tick is so late takes no part in the division: it is switched off. The times
 * between ticks differ, and a trigger that was just switched on has shown none yet.
 */
const LATE_TICKS = 2.5;
const SHORTEST_ACTIVE_MS = 3 * MINUTE_MS;

function isActive({ tickAt, interval }: Sharer, now: number): boolean {
	return now - tickAt < Math.max(LATE_TICKS * interval, SHORTEST_ACTIVE_MS);
}

/** Records that n8n polls a trigger, and forgets what is more than a day ago. */
export function ticked(
	{ spent, sharers }: AllowanceShare,
	{ key, requestsPerDay, occasion }: Pick<Trigger, 'key' | 'requestsPerDay' | 'occasion'>,
	now: number,
): AllowanceShare {
	const isOfToday = (at: number) => now - at < DAY_MS;
	// before an activation the trigger was off, and that tells nothing of its ticks
	const known = sharers.get(key);
	const before = occasion === 'tick' ? (known?.tickAt ?? now) : now;
	const sharer = { ...known, tickAt: now, interval: now - before, requestsPerDay };
	return {
		spent: spent.filter(({ at }) => isOfToday(at)),
		sharers: new Map(
			[...sharers, [key, sharer] as const].filter(([, { tickAt }]) => isOfToday(tickAt)),
		),
	};
}

/** How many triggers divide the allowance, at least one. */
export function activeTriggers({ sharers }: AllowanceShare, now: number): number {
	const active = [...sharers.values()].filter((sharer) => isActive(sharer, now));
	return Math.max(1, active.length);
}

/** Where the triggers differ in their Requests per Day, the largest is the account's. */
export function allowanceOf({ sharers }: AllowanceShare): number {
	return Math.max(...[...sharers.values()].map(({ requestsPerDay }) => requestsPerDay));
}

/**
 * The requests that are left of any 24 hours. The spacing alone does not see to that when triggers
 * come and go or listings grow.
 */
export function requestsLeft(share: AllowanceShare): number {
	return allowanceOf(share) - share.spent.reduce((sum, { requests }) => sum + requests, 0);
}

/**
 * The part of the allowance that is kept for looks that cannot wait: first looks, and those of
 * triggers that n8n polls rarely. One trigger that can always look would leave them nothing.
 */
const KEPT_SHARE = 0.01;

/** What the look of a trigger may take: of the rest, others that have waited for longer go first. */
export function requestsLeftFor(
	share: AllowanceShare,
	{ key, isRare }: { key: string; isRare: boolean },
	now: number,
): number {
	const since = share.sharers.get(key)?.waiting?.since ?? now;
	const before = [...share.sharers.values()]
		.filter((sharer) => isActive(sharer, now))
		.flatMap(({ waiting }) => (waiting !== undefined && waiting.since < since ? [waiting] : []));
	const kept = isRare ? 0 : Math.ceil(allowanceOf(share) * KEPT_SHARE);
	return requestsLeft(share) - kept - before.reduce((sum, { requests }) => sum + requests, 0);
}

/** Whether a look of the trigger is due and finds too few requests left. */
export function isWaiting(share: AllowanceShare, key: string): boolean {
	return share.sharers.get(key)?.waiting !== undefined;
}

/** Records that a look of a trigger has to wait for so many requests, or that it need not any more. */
export function setWaiting(
	share: AllowanceShare,
	key: string,
	requests: number | undefined,
	now: number,
): AllowanceShare {
	const sharer = share.sharers.get(key);
	if (sharer === undefined) return share;
	const since = sharer.waiting?.since ?? now;
	const waiting = requests === undefined ? undefined : { requests, since };
	return { ...share, sharers: new Map([...share.sharers, [key, { ...sharer, waiting }]]) };
}

/** When so many requests will be left again, in epoch milliseconds. */
export function freeAt(share: AllowanceShare, requests: number, now: number): number {
	// a look that is under way ends now at the earliest
	const inOrder = share.spent
		.map((one) => ({ ...one, at: Math.min(one.at, now) }))
		.sort((left, right) => left.at - right.at);
	const last = inOrder.find(
		(_, index) => requestsLeft({ ...share, spent: inOrder.slice(index + 1) }) >= requests,
	);
	return (last?.at ?? now) + DAY_MS;
}

/**
 * Sets the next request of a look that is under way aside, so that other triggers do not take it too.
 *
 * @param sent the requests that the look has sent, redirects included
 */
export function claim(share: AllowanceShare, look: number, sent: number): AllowanceShare {
	return settle(share, look, sent + 1, Infinity);
}

/** Replaces what was set aside for a look by what it took, now that it has ended. */
export function settle(
	{ spent, sharers }: AllowanceShare,
	look: number,
	requests: number,
	now: number,
): AllowanceShare {
	const others = spent.filter((one) => one.look !== look);
	return { spent: [...others, { look, at: now, requests }], sharers };
}
