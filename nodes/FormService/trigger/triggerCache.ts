import type { FormField } from '../answers/fields';
import { Failures } from './failures';
import { DAY_MS, type BudgetClaim, type RequestDebt } from './requestBudget';
import type { ReadingKind } from './responses/planReading';
import { SeenCache } from './responses/seenResponses';
import type { StateCache } from './savedState';

/**
 * The values that this process keeps for a trigger. If these values are lost, the trigger sends more requests
 * and loses no response. The state of the trigger is in n8n's static data.
 */
export type TriggerCache = {
	isPolling: boolean;
	/** When n8n last polled the trigger, in epoch milliseconds. */
	polledAtMs: number;
	/**
	 * The account and the parameters of the last poll, as JSON. If the JSON changes, the failures, fields and
	 * names in the cache are out of date.
	 */
	configKey?: string;
	/** The trigger's share of the request budget, see `BudgetClaim`. Undefined before the first poll. */
	budgetClaim?: BudgetClaim;
	/** The request debt of the list of all forms. */
	formListDebt?: RequestDebt;
	readonly states: StateCache;
	readonly failures: Failures;
	readonly serviceClock: ServiceClock;
	readonly names: FormNames;
	/** The fields of forms, by form ID. */
	readonly fields: Map<string, CachedFields>;
	readonly seen: SeenCache;
	/** The readings for which the last poll of a form had no time, by form ID. */
	readonly postponedReadings: Map<string, PostponedReading>;
};

/** A reading for which a poll had no time. The next poll of the form starts with the reading. */
export type PostponedReading = Readonly<{
	kind: ReadingKind;
	/**
	 * Whether the poll requested the list of all forms before the reading. If so, the next poll of the form
	 * skips the list, so that the poll has time for the reading.
	 */
	isAfterList: boolean;
}>;

/**
 * The names of forms by ID. `fetchedAtMs` is the last time at which the trigger fetched the list of forms to
 * find a name.
 */
export type FormNames = { readonly byId: Map<string, string>; fetchedAtMs: number };

export type CachedFields = {
	fields: FormField[];
	fetchedAtMs: number;
	/**
	 * The names in answers and filters that matched no cached field and so caused a fetch. Empty if the last
	 * fetch had another reason, such as the age of the fields.
	 */
	unmatchedNames: ReadonlySet<string>;
};

const triggers = new Map<string, TriggerCache>();

/**
 * How long the cache of a trigger is kept without a poll. The longest schedule of n8n is a month. If n8n polls
 * a trigger less often than once a month, the trigger loses only its cache.
 */
const CACHE_RETENTION_MS = 32 * DAY_MS;

/** Whether the cache of a trigger can be deleted. True if n8n has not polled the trigger for `CACHE_RETENTION_MS`. */
export function isForgettable(
	{ isPolling, polledAtMs }: Pick<TriggerCache, 'isPolling' | 'polledAtMs'>,
	nowMs: number,
): boolean {
	return !isPolling && nowMs - polledAtMs > CACHE_RETENTION_MS;
}

/** Deletes the caches of triggers that n8n no longer polls. */
export function forgetGoneTriggers(nowMs: number): void {
	for (const [key, cache] of triggers) if (isForgettable(cache, nowMs)) triggers.delete(key);
}

/**
 * Returns the cache of a trigger. In the first poll of this process, creates the cache.
 *
 * @param key the IDs of the workflow and the node: `uYp3:4f2a`
 */
export function getTriggerCache(key: string, nowMs: number): TriggerCache {
	const cache: TriggerCache = triggers.get(key) ?? {
		isPolling: false,
		polledAtMs: nowMs,
		states: {},
		failures: new Failures(),
		serviceClock: new ServiceClock(),
		names: { byId: new Map(), fetchedAtMs: -Infinity },
		fields: new Map(),
		seen: new SeenCache(),
		postponedReadings: new Map(),
	};
	cache.polledAtMs = nowMs;
	triggers.set(key, cache);
	return cache;
}

/** Returns the `BudgetClaim` of each trigger of this process. */
export function collectBudgetClaims(): BudgetClaim[] {
	return [...triggers.values()].flatMap(({ budgetClaim }) => budgetClaim ?? []);
}

/** Computes times of the service's clock from this machine's clock and from the dates of replies. */
export class ServiceClock {
	/** How many milliseconds the service's clock is ahead of this machine's clock. 0 before the first reply. */
	private offsetMs = 0;

	/** Converts a time of this machine's clock to the service's clock. */
	toServiceMs(machineMs: number): number {
		return machineMs + this.offsetMs;
	}

	/**
	 * Returns the time at which the service sent a reply, by the service's clock. Also updates `offsetMs`, the
	 * difference between the clocks of the service and of this machine. If the date of the reply is between
	 * `sentAtMs` and `nowMs`, the difference is 0.
	 *
	 * @param dateMs the `Date` of the reply, which has no fraction of a second; undefined if the reply has no
	 * `Date`
	 */
	readDate(dateMs: number | undefined, sentAtMs: number, nowMs: number): number {
		if (dateMs === undefined) return this.toServiceMs(sentAtMs);
		const latestMs = dateMs + 999;
		const isRight = dateMs <= nowMs && latestMs >= sentAtMs;
		this.offsetMs = isRight ? 0 : latestMs - sentAtMs;
		return dateMs;
	}
}
