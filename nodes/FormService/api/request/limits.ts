import { DateTime } from 'luxon';
import { readTime } from '../readers';

/** Headers of a reply with lower-case names, as n8n's helpers give them. */
export type Headers = Readonly<Record<string, unknown>>;

/** Requests that the service allows an account in a minute (specification, section 8). */
export const REQUESTS_PER_MINUTE = 60;

/** Requests that the service allows an account in a day (specification, section 8). */
export const REQUESTS_PER_DAY = 1440;

/** The status of a refusal. */
export const TOO_MANY_REQUESTS = 429;

/** A refusal that asks to wait longer, in seconds, cannot mean the minute's limit, so it means the day's. */
export const LONGEST_MINUTE_S = 60;

/** No day's limit lasts longer, in seconds: a refusal that asks for more is ignored. */
const LONGEST_DAY_S = 24 * 60 * 60;

/** How long the day's limit is assumed to last if a refusal does not say. */
export const UNKNOWN_DAY_MS = 60 * 60_000;

/** Added to `Retry-After`, which the service rounds down to whole seconds. */
const RETRY_AFTER_MARGIN_MS = 1_000;

/** The pair that every counted reply shows (specification, section 8). */
export type Shown = { limit: number; remaining: number };

/** A refusal: the limit that is used up, how many requests it allows, and the wait, as far as the reply says so. */
export type Refusal = { limit: 'minute' | 'day'; allowed?: number; waitMs?: number };

/** The `x-ratelimit-limit` and `x-ratelimit-remaining` of a reply; undefined unless both are present. */
export function parseShown(headers: Headers): Shown | undefined {
	const limit = parseNumber(headers['x-ratelimit-limit'], WHOLE);
	const remaining = parseNumber(headers['x-ratelimit-remaining'], WHOLE);
	return limit === undefined || remaining === undefined ? undefined : { limit, remaining };
}

/**
 * Whether the pair shows the day's limit: the service shows the tighter one of its two limits. With other
 * numbers, the day's limit is larger than the minute's, and less of it is left.
 *
 * @param perMinute the minute's limit that an earlier reply showed
 */
export function isDayLimit({ limit, remaining }: Shown, perMinute = Infinity): boolean {
	return limit === REQUESTS_PER_DAY || (limit > perMinute && remaining < perMinute);
}

/**
 * Reads a refusal. It means the day's limit if the wait is over a minute, if the pair is the day's, or if it
 * gives no wait and the requests of the day are nearly used up.
 *
 * @param perMinute the minute's limit that an earlier reply showed
 */
export function parseRefusal(
	headers: Headers,
	now: number,
	{
		perMinute,
		isDayNearlyUsedUp = false,
	}: { perMinute?: number; isDayNearlyUsedUp?: boolean } = {},
): Refusal {
	const seconds = parseRetryAfter(headers, now) ?? parseReset(headers, now);
	const shown = parseShown(headers);
	const isForDay = seconds === undefined ? isDayNearlyUsedUp : seconds > LONGEST_MINUTE_S;
	const limit = isForDay || (shown && isDayLimit(shown, perMinute)) ? 'day' : 'minute';
	const isShown = shown && (limit === 'minute' || shown.limit > (perMinute ?? REQUESTS_PER_MINUTE));
	const isStated = seconds !== undefined && seconds <= LONGEST_DAY_S;
	return {
		limit,
		allowed: isShown ? shown.limit : undefined,
		waitMs: isStated ? seconds * 1000 + RETRY_AFTER_MARGIN_MS : undefined,
	};
}

/** `Retry-After` in seconds, from 0 up: a number or a date of HTTP (RFC 9110, sections 10.2.3, 5.6.7). */
export function parseRetryAfter(headers: Headers, now: number): number | undefined {
	const given = headers['retry-after'];
	return parseNumber(given, DECIMAL) ?? countSeconds(parseDate(given), headers, now);
}

/** The `x-ratelimit-reset` of a reply in seconds from now, which is also how some services send it. */
function parseReset(headers: Headers, now: number): number | undefined {
	const reset = readHeader(headers['x-ratelimit-reset']);
	return countSeconds(readTime(reset, 'utc'), headers, now) ?? parseNumber(reset, DECIMAL);
}

/** Measured from the reply's own `Date`, so that a wrong clock on either side does no harm. */
function countSeconds(until: number | undefined, headers: Headers, now: number) {
	if (until === undefined) return undefined;
	return Math.max(0, Math.ceil((until - (parseDate(headers.date) ?? now)) / 1000));
}

const WHOLE = /^\d{1,15}$/;
const DECIMAL = /^\d{1,15}(\.\d{1,9})?$/;

function parseNumber(header: unknown, form: RegExp): number | undefined {
	const text = readHeader(header);
	return form.test(text) ? Number(text) : undefined;
}

/** Epoch milliseconds of a date in one of the three forms of HTTP. */
export function parseDate(header: unknown): number | undefined {
	const time = DateTime.fromHTTP(readHeader(header));
	return time.isValid ? time.toMillis() : undefined;
}

/** The first of repeated headers. */
function readHeader(header: unknown): string {
	const first: unknown = Array.isArray(header) ? header[0] : header;
	return typeof first === 'string' || typeof first === 'number' ? String(first).trim() : '';
}
