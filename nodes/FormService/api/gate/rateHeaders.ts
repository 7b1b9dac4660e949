import { LONGEST_DAY_S, LONGEST_MINUTE_S, REQUESTS_PER_DAY, RETRY_AFTER_MARGIN_MS } from './limits';

/** Headers of a reply with lower-case names, as n8n's helpers give them. */
export type Headers = Readonly<Record<string, unknown>>;

/** The pair that every counted reply shows (specification, section 8). */
export type Shown = { limit: number; remaining: number };

/** What a refusal (status 429) says: which limit, and how long to wait in milliseconds. */
export type Refusal = { limit: 'minute' | 'day'; waitMs?: number };

/** The `x-ratelimit-limit` and `x-ratelimit-remaining` of a reply; undefined unless both are there. */
export function shownBy(headers: Headers): Shown | undefined {
	const limit = wholeNumber(headers['x-ratelimit-limit']);
	const remaining = wholeNumber(headers['x-ratelimit-remaining']);
	return limit === undefined || remaining === undefined ? undefined : { limit, remaining };
}

/** Whether the pair is the day's; the service shows the tighter one of its two limits. */
export function isOfDay({ limit }: Shown): boolean {
	return limit === REQUESTS_PER_DAY;
}

/**
 * Reads a refusal: `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3), else
 * `x-ratelimit-reset` in epoch seconds, or milliseconds as some services have it. The day is meant
 * when the wait is over a minute or the pair is the day's.
 *
 * @param now epoch milliseconds
 */
export function readRefusal(headers: Headers, now: number): Refusal {
	const asked = retryAfterSeconds(headers, now);
	const seconds = asked === undefined ? undefined : Math.min(asked, LONGEST_DAY_S);
	const shown = shownBy(headers);
	const day =
		(seconds !== undefined && seconds > LONGEST_MINUTE_S) ||
		(shown !== undefined && isOfDay(shown));
	return {
		limit: day ? 'day' : 'minute',
		...(seconds !== undefined && { waitMs: seconds * 1000 + RETRY_AFTER_MARGIN_MS }),
	};
}

/**
 * The seconds that a reply asks to wait, from 0 up; undefined when it does not say. A time is read
 * against the reply's own `Date`, so that a clock that is wrong on either side does no harm.
 */
export function retryAfterSeconds(headers: Headers, now: number): number | undefined {
	const value = first(headers['retry-after']);
	const seconds = wholeNumber(value);
	if (seconds !== undefined) return seconds;
	const date = typeof value === 'string' ? Date.parse(value) : Number.NaN;
	const until = Number.isNaN(date) ? resetOf(headers) : date;
	if (until === undefined) return undefined;
	const sent = Date.parse(String(first(headers.date)));
	return Math.max(0, Math.ceil((until - (Number.isNaN(sent) ? now : sent)) / 1000));
}

/** In epoch seconds this is the year 5138: what is more are milliseconds. */
const MOST_SECONDS = 1e11;

/** The `x-ratelimit-reset` of a reply in epoch milliseconds. */
function resetOf(headers: Headers): number | undefined {
	const reset = wholeNumber(headers['x-ratelimit-reset']);
	return reset === undefined || reset > MOST_SECONDS ? reset : reset * 1000;
}

function wholeNumber(header: unknown): number | undefined {
	const value = first(header);
	return (typeof value === 'string' || typeof value === 'number') &&
		/^\d{1,15}$/.test(String(value).trim())
		? Number(value)
		: undefined;
}

function first(header: unknown): unknown {
	return Array.isArray(header) ? header[0] : header;
}
