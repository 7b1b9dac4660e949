import { REQUESTS_PER_MINUTE, UNKNOWN_DAY_RESET_MS, WINDOW_MS } from './limits';
import { isOfDay, readRefusal, shownBy } from './rateHeaders';
import type { Headers } from './rateHeaders';
import { endOfWindow, isOpen, rolled, withEnd, withShown } from './window';
import type { Allowance, Counted } from './window';

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

function ended(counted: readonly Counted[], id: number, now: number): Counted[] {
	return counted.map((one) => (one.id === id ? { ...one, endedAt: now } : one));
}
