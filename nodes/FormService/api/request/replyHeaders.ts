/** Headers of a reply with lower-case names, as n8n's helpers return them. */
export type ReplyHeaders = Readonly<Record<string, unknown>>;

/** Added to `Retry-After`, which the service rounds down to whole seconds. */
export const RETRY_AFTER_MARGIN_MS = 1_000;

/** The longest wait that is believed: no day's limit lasts longer. */
const MAX_WAIT_MS = 24 * 60 * 60_000;

/**
 * Parses how long the service asks to wait, from now: `Retry-After` has seconds or a date (RFC 9110, section
 * 10.2.3). The service's clock can differ, so a date counts from the reply's own `Date`.
 *
 * @returns undefined if the service asks for no wait
 */
export function parseRetryAfterMs(headers: ReplyHeaders, nowMs: number): number | undefined {
	const text = String(headers['retry-after'] ?? '').trim();
	if (text === '') return undefined;
	const seconds = Number(text);
	const servedAtMs = Date.parse(String(headers.date)) || nowMs;
	const waitMs = Number.isNaN(seconds) ? Date.parse(text) - servedAtMs : seconds * 1_000;
	if (Number.isNaN(waitMs)) return undefined;
	return Math.min(Math.max(waitMs, 0), MAX_WAIT_MS) + RETRY_AFTER_MARGIN_MS;
}

/**
 * Parses a header such as `x-ratelimit-remaining`: `59`, or `60, 60;w=60` of a proxy, whose first number counts. A
 * negative number means that nothing is left.
 */
export function parseLimitHeader(headers: ReplyHeaders, name: string): number | undefined {
	const [text] = String(headers[name] ?? '').split(/[,;]/);
	const number = text.trim() === '' ? NaN : Number(text);
	return Number.isNaN(number) ? undefined : Math.max(number, 0);
}
