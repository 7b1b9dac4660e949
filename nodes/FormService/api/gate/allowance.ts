import { REQUESTS_PER_MINUTE, UNKNOWN_DAY_RESET_MS, WINDOW_MARGIN_MS, WINDOW_MS } from './limits';
import { isOfDay, readRefusal, shownBy } from './rateHeaders';
import type { Headers, Shown } from './rateHeaders';

/** A request that counts, or may count, in the service's present window. Times in milliseconds. */
type Counted = { id: number; sentAt: number; endedAt?: number };

/** A pair that the service showed, and between which times it was true. */
type Sighting = Shown & { sentAt: number; endedAt: number };

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

/** When the next request may leave, or why none may. Times in milliseconds. */
export type Decision =
	| { kind: 'send' }
	| { kind: 'wait'; until: number }
	/** Only a reply to an open request can tell. */
	| { kind: 'waitForReply' }
	| { kind: 'dayUsedUp'; until: number };

/** An account of which nothing is known yet. */
export const freshAllowance: Allowance = {
	limit: REQUESTS_PER_MINUTE,
	counted: [],
	leastLeft: Infinity,
	openedAt: -Infinity,
	earliestStart: -Infinity,
	startKnown: false,
	latestEnd: -Infinity,
	blockedUntil: -Infinity,
	dayBlockedUntil: -Infinity,
};

/** Decides whether a request may leave now. Never sends what the service would refuse, as far as can be known. */
export function decide(allowance: Allowance, now: number): Decision {
	if (now < allowance.dayBlockedUntil) {
		return { kind: 'dayUsedUp', until: allowance.dayBlockedUntil };
	}
	if (now < allowance.blockedUntil) return { kind: 'wait', until: allowance.blockedUntil };
	const present = rolled(allowance, now);
	const open = present.counted.filter(isOpen).length;
	const left = Math.min(present.limit - present.counted.length, present.leastLeft - open);
	if (left > 0) return { kind: 'send' };
	const until = endOfWindow(present);
	return Number.isFinite(until) ? { kind: 'wait', until } : { kind: 'waitForReply' };
}

/** Records that a request leaves now. */
export function sent(allowance: Allowance, id: number, now: number): Allowance {
	const present = rolled(allowance, now);
	return { ...present, counted: [...present.counted, { id, sentAt: now }] };
}

/** Records that a request came back without a reply; the service may have counted it. */
export function lost(allowance: Allowance, id: number, now: number): Allowance {
	return { ...allowance, counted: ended(allowance.counted, id, now) };
}

/** Records a reply: what its headers tell of the window, of others on the account, of a refusal. */
export function replied(
	allowance: Allowance,
	id: number,
	status: number,
	headers: Headers,
	now: number,
): Allowance {
	if (status === 429) return refused(allowance, id, headers, now);
	const request = allowance.counted.find((one) => one.id === id);
	const next = lost(allowance, id, now);
	const shown = shownBy(headers);
	if (request === undefined || shown === undefined) return next;
	const sighting = { ...shown, sentAt: request.sentAt, endedAt: now };
	return isOfDay(shown) ? withEnd(next, sighting) : withShown(next, sighting);
}

/** A refused request is not counted; nothing more is sent until the service takes requests again. */
function refused(allowance: Allowance, id: number, headers: Headers, now: number): Allowance {
	const counted = allowance.counted.filter((one) => one.id !== id);
	const refusal = readRefusal(headers, now);
	if (refusal.limit === 'day') {
		const until = now + (refusal.waitMs ?? UNKNOWN_DAY_RESET_MS);
		return { ...allowance, counted, dayBlockedUntil: Math.max(allowance.dayBlockedUntil, until) };
	}
	const windowEnd = Number.isFinite(allowance.latestEnd) && allowance.latestEnd > now;
	const fallback = windowEnd ? allowance.latestEnd : now + WINDOW_MS;
	const until = refusal.waitMs === undefined ? fallback : now + refusal.waitMs;
	const blockedUntil = Math.max(allowance.blockedUntil, until);
	return { ...allowance, counted, blockedUntil, latestEnd: blockedUntil };
}

/** A counted reply's window had started when it came, so it is over `WINDOW_MS` later. */
function withEnd(allowance: Allowance, { sentAt, endedAt }: Sighting): Allowance {
	if (sentAt < allowance.openedAt) return allowance;
	const end = endedAt + WINDOW_MS + WINDOW_MARGIN_MS;
	return { ...allowance, latestEnd: Math.min(allowance.latestEnd, end) };
}

/** What the pair of a counted reply proves: a new window, the end of the present one, other users. */
function withShown(allowance: Allowance, sighting: Sighting): Allowance {
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
function endOfWindow({ latestEnd, counted }: Allowance): number {
	if (Number.isFinite(latestEnd) || counted.some(isOpen)) return latestEnd;
	// No reply showed anything (a service without the headers, or connections that broke): the window
	// had begun at the latest when the last of the requests came back.
	const lastEnd = Math.max(...counted.map(({ endedAt = -Infinity }) => endedAt));
	return lastEnd + WINDOW_MS + WINDOW_MARGIN_MS;
}

/** The allowance as it is for a request that leaves now: a window that has ended is left behind. */
function rolled(allowance: Allowance, now: number): Allowance {
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

function ended(counted: readonly Counted[], id: number, now: number): Counted[] {
	return counted.map((one) => (one.id === id ? { ...one, endedAt: now } : one));
}

function isOpen({ endedAt }: Counted): boolean {
	return endedAt === undefined;
}

/** Whether the service may have received a request at `time` or later. */
function mayCountSince({ endedAt }: Counted, time: number): boolean {
	return endedAt === undefined || endedAt >= time;
}
