import type { FormField } from '../api/answers/fields';
import { Failures } from './failures';
import { DAY_MS, type BudgetClaim, type RequestDebt } from './requestBudget';
import { SeenCache } from './responses/seenResponses';
import type { StateCache } from './savedState';

/** The cache of one trigger in this process. Losing it is safe, because the state is in the static data. */
export type TriggerCache = {
	isPolling: boolean;
	/** When n8n last polled the trigger, in epoch milliseconds. */
	polledAtMs: number;
	/** The account and the parameters that the failures and fields belong to. */
	configKey?: string;
	/** The claim of the trigger on its account's requests; undefined before its first poll. */
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
};

/** The known names of forms, and the time when the list was last read for a name. */
export type FormNames = { readonly byId: Map<string, string>; fetchedAtMs: number };

export type CachedFields = {
	fields: FormField[];
	fetchedAtMs: number;
	/** Names in answers and filters that matched none of these fields. */
	unmatchedNames: ReadonlySet<string>;
};

const triggers = new Map<string, TriggerCache>();

/** The longest schedule of n8n is a month. A trigger that is polled more rarely loses only its cache. */
const FORGOTTEN_AFTER_MS = 32 * DAY_MS;

/** Whether n8n has not polled a trigger for so long that the trigger must be gone. */
export function isForgettable(
	{ isPolling, polledAtMs }: Pick<TriggerCache, 'isPolling' | 'polledAtMs'>,
	nowMs: number,
): boolean {
	return !isPolling && nowMs - polledAtMs > FORGOTTEN_AFTER_MS;
}

/** Removes the caches of triggers that are gone. */
export function forgetGoneTriggers(nowMs: number): void {
	for (const [key, cache] of triggers) if (isForgettable(cache, nowMs)) triggers.delete(key);
}

/**
 * Returns the cache of a trigger that n8n polls now, which is a new cache on the first poll of the process.
 *
 * @param key the IDs of the workflow and the node, such as `uYp3:4f2a`
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
	};
	cache.polledAtMs = nowMs;
	triggers.set(key, cache);
	return cache;
}

/** Collects what all triggers of this process need of the requests of their accounts. */
export function collectBudgetClaims(): BudgetClaim[] {
	return [...triggers.values()].flatMap(({ budgetClaim }) => budgetClaim ?? []);
}

/** The clock of the service, as its replies show it. */
export class ServiceClock {
	/** How far the service's clock is ahead; 0 before the first reply. */
	private offsetMs = 0;

	/** Converts a time of this machine. */
	toServiceMs(machineMs: number): number {
		return machineMs + this.offsetMs;
	}

	/**
	 * Returns when the service sent a reply, in the service's time, and updates the offset. If the date can lie
	 * between the request and now, both clocks count as equal.
	 *
	 * @param dateMs the date of the reply, cut to seconds, if the reply has a date
	 */
	readDate(dateMs: number | undefined, sentAtMs: number, nowMs: number): number {
		if (dateMs === undefined) return this.toServiceMs(sentAtMs);
		const latestMs = dateMs + 999;
		const isRight = dateMs <= nowMs && latestMs >= sentAtMs;
		this.offsetMs = isRight ? 0 : latestMs - sentAtMs;
		return dateMs;
	}
}
