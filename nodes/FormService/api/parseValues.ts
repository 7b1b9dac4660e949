import { DateTime } from 'luxon';

/** A boolean, 1 or 0 (specification, section 4, rule 5), or true, yes, on and the like, case-insensitively. Undefined for any other value. */
export function parseBoolean(value: unknown): boolean | undefined {
	if (typeof value === 'boolean') return value;
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const text = String(value);
	if (/^\s*(true|1|yes|on)\s*$/i.test(text)) return true;
	return /^\s*(false|0|no|off)\s*$/i.test(text) ? false : undefined;
}

/** As JavaScript and JSON write numbers: "1,200" is 1200 to some people and 1.2 to others. */
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?$/i;

/** A finite number, also from text; undefined for any other value. */
export function parseNumber(value: unknown): number | undefined {
	if (typeof value !== 'number' && typeof value !== 'string') return undefined;
	const text = String(value).trim();
	const number = NUMBER.test(text) ? Number(text) : NaN;
	return Number.isFinite(number) ? number : undefined;
}

/**
 * Parses a decimal number whose value is certain, such as "19.90" or "+5". "01234" can be a code, and
 * JavaScript does not keep all of 20 digits. Both are undefined.
 */
export function parseExactNumber(text: string): number | undefined {
	const [, digits, fraction = ''] = DECIMAL.exec(text.trim()) ?? [];
	if (digits === undefined) return undefined;
	const number = Number(digits);
	const isExact = Math.abs(number) <= Number.MAX_SAFE_INTEGER;
	return isExact && number.toFixed(fraction.length) === digits ? number : undefined;
}

/** A sign, digits, and as many digits after the point as `toFixed` can write. */
const DECIMAL = /^\+?(-?\d{1,16}(?:\.(\d{1,100}))?)$/;

/** A number that an expression gave for text; one below 0 or without an end comes from a calculation. */
export function numberAsText(value: unknown): string | undefined {
	return typeof value === 'number' && value >= 0 && value < Infinity ? String(value) : undefined;
}

/** A time with an IANA zone is shorter. */
const MAX_TIME_LENGTH = 80;

/**
 * Returns a date or time in epoch milliseconds: ISO 8601, the same with a blank as SQL writes it, a date with
 * dots (`31.12.2026`, the day first), epoch seconds and milliseconds, and the Date and luxon objects of an
 * expression. JavaScript's own reader finds a date in "Room 5".
 *
 * @param zone IANA name of the zone of local times
 */
export function parseTimeMs(value: unknown, zone: string): number | undefined {
	const time = readMillis(value, zone);
	return Number.isFinite(time) ? time : undefined;
}

function readMillis(value: unknown, zone: string): number {
	if (value instanceof Date || DateTime.isDateTime(value)) return value.valueOf();
	if (typeof value === 'number') return readEpoch(value);
	if (typeof value !== 'string' || value.length > MAX_TIME_LENGTH) return NaN;
	const text = dotsToIso(value.trim());
	if (DIGITS.test(text)) return readEpoch(Number(text));
	// luxon also takes years, weeks and times of day, which are numbers or words in an answer
	if (!/^\d{4}-\d\d(-\d\d)?([T ]|$)/.test(text)) return NaN;
	// luxon takes ten times as long
	if (UTC.test(text)) return Date.parse(text);
	return DateTime.fromISO(text.replace(' ', 'T'), { zone }).toMillis();
}

/** Seconds have 10 digits and milliseconds 13 from 2001 to 2286; "202601311230" is neither. */
function readEpoch(number: number): number {
	if (number >= 1e9 && number < 1e10) return Math.round(number * 1_000);
	return number >= 1e12 && number < 1e13 ? number : NaN;
}

const DIGITS = /^\d+$/;

/** Whether a value that is a time is one in epoch seconds or milliseconds. */
export function isEpoch(value: unknown): boolean {
	return typeof value === 'number' || (typeof value === 'string' && DIGITS.test(value.trim()));
}

/** Matches "31.12.2026" and "1.2.2026, 8:30", not "31.12.26". */
const DOTTED = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?:,? (\d{1,2})(:\d\d(?::\d\d)?))?$/;

/** Converts a date with dots, whose day comes first in all countries that write dots, to ISO 8601. */
function dotsToIso(text: string): string {
	// most texts are not dates
	if (text[1] !== '.' && text[2] !== '.') return text;
	const [, day, month, year, hour, minutes = ''] = DOTTED.exec(text) ?? [];
	if (year === undefined) return text;
	const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
	return hour === undefined ? date : `${date}T${hour.padStart(2, '0')}${minutes}`;
}

/** The service's own form of a time (specification, section 2.1). */
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

/** Returns the day of a text that is a whole date without a time (`2026-01-31`, `31.1.2026`) as `2026-01-31`. */
export function parseDay(value: unknown): string | undefined {
	const isShort = typeof value === 'string' && value.length < MAX_TIME_LENGTH;
	const text = isShort ? dotsToIso(value.trim()) : '';
	if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
	return DateTime.fromISO(text, { zone: 'utc' }).toISODate() ?? undefined;
}

/** Whether a value is a local time: a date or time that reads differently in two zones. */
export function isLocalTime(value: unknown): boolean {
	return parseTimeMs(value, 'utc') !== parseTimeMs(value, 'utc+1');
}
