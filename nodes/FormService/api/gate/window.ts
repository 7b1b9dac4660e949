import { WINDOW_MARGIN_MS, WINDOW_MS } from './limits';
import type { Shown } from './rateHeaders';

/** A request that counts, or may count, in the service's present window. Times in milliseconds. */
export type Counted = { id: number; sentAt: number; endedAt?: number };

/** A pair that the service showed, and between which times it was true. */
export type Sighting = Shown & { sentAt: number; endedAt: number };

/**
 * What is known of an account's allowance. The service does not say when its window started, so
 * this keeps bounds: the window that counts now started at `earliestStart` or later, and has ended
 * at `latestEnd`.
 */
export type Allowance = {
	readonly limit: number;
	readonly counted: readonly Counted[];
	/**
	 * The least that the headers have shown to be left of the window; requests that are open may
	 * still come off it. Tells of others on the account, and of a window that had begun before.
	 */
	readonly leastLeft: number;
	readonly openedAt: number;
	readonly earliestStart: number;
	/** Whether the request that opened the window has been seen, so that `earliestStart` is exact. */
	readonly startKnown: boolean;
	/** Infinity until a reply proves when the window cannot last any longer. */
	readonly latestEnd: number;
	readonly sighting?: Sighting;
	/** The service has refused: nothing is sent before. */
	readonly blockedUntil: number;
	/** The day's limit is used up: everything fails until then. */
	readonly dayBlockedUntil: number;
};

/** A counted reply's window had started when it came, so it is over `WINDOW_MS` later. */
export function withEnd(allowance: Allowance, { sentAt, endedAt }: Sighting): Allowance {
	if (sentAt < allowance.openedAt) return allowance;
	const end = endedAt + WINDOW_MS + WINDOW_MARGIN_MS;
	return { ...allowance, latestEnd: Math.min(allowance.latestEnd, end) };
}

/** What the pair of a counted reply proves: a new window, the end of the present one, other users. */
export function withShown(allowance: Allowance, sighting: Sighting): Allowance {
	const newStart = startOfNewWindow(allowance, sighting);
	const present =
		newStart === undefined
			? withEnd(allowance, sighting)
			: withEnd(
					{
						...allowance,
						openedAt: newStart,
						earliestStart: newStart,
						startKnown: false,
						latestEnd: Infinity,
						counted: allowance.counted.filter((one) => mayCountSince(one, newStart)),
						leastLeft: Infinity,
					},
					sighting,
				);
	return {
		...present,
		limit: Math.max(1, sighting.limit),
		startKnown: present.startKnown || isOpener(present, sighting),
		leastLeft: Math.min(present.leastLeft, sighting.remaining),
		sighting,
	};
}

/**
 * The earliest time at which the window of a reply started, if the reply proves it to be a new one:
 * it is the first that counts there, or more is left than an earlier reply showed. Where the start
 * of the present window is known, no new one can begin before that has ended.
 */
function startOfNewWindow(allowance: Allowance, sighting: Sighting): number | undefined {
	const { limit, remaining, sentAt, endedAt } = sighting;
	const tooLateToTell = endedAt >= sentAt + WINDOW_MS;
	const tooEarly = allowance.startKnown && endedAt < allowance.earliestStart + WINDOW_MS;
	if (tooLateToTell || tooEarly) return undefined;
	if (isOpener(allowance, sighting)) {
		return sentAt > allowance.earliestStart ? sentAt : undefined;
	}
	const before = allowance.sighting;
	const rose = before?.limit === limit && sentAt >= before.endedAt && remaining >= before.remaining;
	return rose ? Math.max(before.sentAt, allowance.earliestStart) : undefined;
}

/** Whether a reply is to the request that opened its window: nothing else was counted before it. */
function isOpener(allowance: Allowance, { limit, remaining, sentAt }: Sighting): boolean {
	return remaining === limit - 1 && sentAt >= allowance.earliestStart;
}

/** When the present window has surely ended; Infinity while only an open request can tell. */
export function endOfWindow({ latestEnd, counted }: Allowance): number {
	if (Number.isFinite(latestEnd) || counted.some(isOpen)) return latestEnd;
	// No reply showed anything (a service without the headers, or connections that broke): the window
	// had begun at the latest when the last of the requests came back.
	const lastEnd = Math.max(...counted.map(({ endedAt = -Infinity }) => endedAt));
	return lastEnd + WINDOW_MS + WINDOW_MARGIN_MS;
}

/** The allowance as it is for a request that leaves now: a window that has ended is left behind. */
export function rolled(allowance: Allowance, now: number): Allowance {
	if (now < endOfWindow(allowance)) return allowance;
	// the next window starts after this one ended, and one that lasts has not started a window ago
	const nextStart = Math.max(allowance.earliestStart + WINDOW_MS, now - WINDOW_MS);
	// requests that were under way when the window could have ended may count in the next one
	const counted = allowance.counted.filter((one) => mayCountSince(one, nextStart));
	return {
		...allowance,
		counted,
		leastLeft: Infinity,
		openedAt: now,
		earliestStart: counted.length > 0 ? nextStart : now,
		startKnown: false,
		latestEnd: Infinity,
		sighting: undefined,
	};
}

export function isOpen({ endedAt }: Counted): boolean {
	return endedAt === undefined;
}

/** Whether the service may have received a request at `time` or later. */
function mayCountSince({ endedAt }: Counted, time: number): boolean {
	return endedAt === undefined || endedAt >= time;
}
