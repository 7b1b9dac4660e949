import { DAY_MS, MINUTE_MS } from './pollSchedule';
import type { Trigger } from './world';

/** Requests of one look. They count from its end on, which is the later; until then, `at` is Infinity. */
type Spent = { readonly look: number; readonly at: number; readonly requests: number };

/** A trigger on the account: when n8n last polled it, and how long after the poll before it. */
type Sharer = {
	readonly tickAt: number;
	readonly interval: number;
	readonly requestsPerDay: number;
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
	const before = occasion === 'tick' ? (sharers.get(key)?.tickAt ?? now) : now;
	const sharer = { tickAt: now, interval: now - before, requestsPerDay };
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

/** When so many requests will be left again, in epoch milliseconds. */
export function freeAt(share: AllowanceShare, requests: number): number {
	const inOrder = [...share.spent].sort((left, right) => left.at - right.at);
	const last = inOrder.find(
		(_, index) => requestsLeft({ ...share, spent: inOrder.slice(index + 1) }) >= requests,
	);
	return (last?.at ?? Infinity) + DAY_MS;
}

/** Sets a request aside for a look that is under way, so that other triggers do not take it too. */
export function claim(share: AllowanceShare, look: number): AllowanceShare {
	return { ...share, spent: [...share.spent, { look, at: Infinity, requests: 1 }] };
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
