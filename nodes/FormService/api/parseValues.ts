import { DateTime } from 'luxon';

/**
 * Parses a boolean, 1, 0, or a word such as "Yes" or "off" (specification, section 4, rule 5). Undefined for
 * any other value.
 */
export function parseBoolean(value: unknown): boolean | undefined {
	if (typeof value === 'boolean') return value;
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const text = String(value);
	if (/^\s*(true|1|yes|on)\s*$/i.test(text)) return true;
	return /^\s*(false|0|no|off)\s*$/i.test(text) ? false : undefined;
}

/**
 * Matches "-12.5" and "1e3", not "1,200". A comma is ambiguous: "1,200" means 1200 in some countries, and 1.2
 * in other countries.
 */
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?$/i;

/** Parses a finite number, or a string with a finite number: `"12.5"`. Undefined for any other value. */
export function parseNumber(value: unknown): number | undefined {
	if (typeof value !== 'number' && typeof value !== 'string') return undefined;
	const text = String(value).trim();
	const number = NUMBER.test(text) ? Number(text) : NaN;
	return Number.isFinite(number) ? number : undefined;
}

/**
 * Parses a decimal number whose value is certain, such as "19.90" or "+5". Undefined for "01234", which can be
 * a code. Undefined for a number of 20 digits, which JavaScript would round.
 */
export function parseExactNumber(text: string): number | undefined {
	const [, digits, fraction = ''] = DECIMAL.exec(text.trim()) ?? [];
	if (digits === undefined) return undefined;
	const number = Number(digits);
	const isExact = Math.abs(number) <= Number.MAX_SAFE_INTEGER;
	return isExact && number.toFixed(fraction.length) === digits ? number : undefined;
}

/**
 * Matches "+5" and "19.90", not "1e3". At most 100 digits follow the point, because 100 is the maximum of
 * `toFixed`.
 */
const DECIMAL = /^\+?(-?\d{1,16}(?:\.(\d{1,100}))?)$/;

/**
 * Converts a number to a string: `2026` → `"2026"`. The expression of a text parameter can return a number.
 * Undefined for a negative or infinite number, which is the result of a calculation and not text.
 */
export function formatNumber(value: unknown): string | undefined {
	return typeof value === 'number' && value >= 0 && value < Infinity ? String(value) : undefined;
}

/** The maximum length of a string that is parsed as a time. An ISO time with the name of a zone is shorter. */
const MAX_TIME_LENGTH = 80;

/**
 * Parses a date or time to epoch milliseconds. Accepts these values:
 *
 * - ISO 8601, and SQL's `2026-01-31 09:00`
 * - dates with dots, which start with the day: `31.12.2026`
 * - epoch seconds and epoch milliseconds
 * - the Date and luxon objects that an expression returns
 *
 * Undefined for any other value. JavaScript's `Date.parse` is too lenient: it finds a date in "Room 5".
 *
 * @param zone the time zone of values that contain no time zone: `Europe/Vienna`
 */
export function parseTimeMs(value: unknown, zone: string): number | undefined {
	const time = parseMillis(value, zone);
	return Number.isFinite(time) ? time : undefined;
}

function parseMillis(value: unknown, zone: string): number {
	if (value instanceof Date || DateTime.isDateTime(value)) return value.valueOf();
	if (typeof value === 'number') return parseEpoch(value);
	if (typeof value !== 'string' || value.length > MAX_TIME_LENGTH) return NaN;
	const text = dotsToIso(value.trim());
	if (DIGITS.test(text)) return parseEpoch(Number(text));
	// luxon would also parse years, weeks and times of day, but in an answer these can be numbers or words
	if (!/^\d{4}-\d\d(-\d\d)?([T ]|$)/.test(text)) return NaN;
	// JavaScript parses a UTC time ten times as fast as luxon
	if (UTC.test(text)) return Date.parse(text);
	return DateTime.fromISO(text.replace(' ', 'T'), { zone }).toMillis();
}

/**
 * Converts epoch seconds or milliseconds to milliseconds. Seconds have 10 digits (years 2001 to 2286),
 * milliseconds have 13. NaN for any other number, such as 202601311230.
 */
function parseEpoch(number: number): number {
	if (number >= 1e9 && number < 1e10) return Math.round(number * 1_000);
	return number >= 1e12 && number < 1e13 ? number : NaN;
}

const DIGITS = /^\d+$/;

/** Whether a time is a number or a string of digits, such as `"1769850000"`: epoch seconds or epoch milliseconds. */
export function isEpoch(value: unknown): boolean {
	return typeof value === 'number' || (typeof value === 'string' && DIGITS.test(value.trim()));
}

/** Matches "31.12.2026" and "1.2.2026, 8:30", not "31.12.26". */
const DOTTED = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?:,? (\d{1,2})(:\d\d(?::\d\d)?))?$/;

/**
 * Converts a date with dots to ISO 8601: `31.12.2026` → `2026-12-31`. In a date with dots, the day is always
 * first. Returns any other string unchanged.
 */
function dotsToIso(text: string): string {
	// return early, because most strings are not dates
	if (text[1] !== '.' && text[2] !== '.') return text;
	const [, day, month, year, hour, minutes = ''] = DOTTED.exec(text) ?? [];
	if (year === undefined) return text;
	const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
	return hour === undefined ? date : `${date}T${hour.padStart(2, '0')}${minutes}`;
}

/** Matches a time as the service writes it: "2026-01-31T09:00:00.000000Z" (specification, section 2.1). */
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

/** Parses a date without a time to ISO 8601: `31.1.2026` → `2026-01-31`. Undefined for any other value. */
export function parseDay(value: unknown): string | undefined {
	const isShort = typeof value === 'string' && value.length < MAX_TIME_LENGTH;
	const text = isShort ? dotsToIso(value.trim()) : '';
	if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
	return DateTime.fromISO(text, { zone: 'utc' }).toISODate() ?? undefined;
}

const DAY_MS = 86_400_000;

/** Matches an offset from UTC that is not zero, at the end of a time: `-05:00`, not `+00:00`. */
const NONZERO_OFFSET = /[+-](?!00)\d\d(:?\d\d)?(\[|$)/;

/**
 * Returns the day of a time that is midnight in UTC: `2026-01-31T00:00:00.000Z` → `2026-01-31`. Databases
 * return a date in this form. Undefined for any other time, and for a time whose offset is not zero.
 */
export function parseUtcMidnight(value: unknown): string | undefined {
	const timeMs = parseTimeMs(value, 'utc') ?? NaN;
	if (timeMs % DAY_MS !== 0 || isLocalTime(value)) return undefined;
	const hasOtherOffset = DateTime.isDateTime(value)
		? value.offset !== 0
		: NONZERO_OFFSET.test(String(value).trim());
	return hasOtherOffset ? undefined : DateTime.fromMillis(timeMs, { zone: 'utc' }).toISODate()!;
}

/**
 * Whether a value is a date or time without a zone, such as `2026-01-31 09:00`. The epoch milliseconds of the
 * value depend on the zone in which the value is read.
 */
export function isLocalTime(value: unknown): boolean {
	return parseTimeMs(value, 'utc') !== parseTimeMs(value, 'utc+1');
}
