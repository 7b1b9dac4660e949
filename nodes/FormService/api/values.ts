import { DateTime } from 'luxon';
import { cleanText, normalizeText } from './text';

const VISIBLE = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}]/u;

/** Whether a value is missing, a text without a visible character, or a list of such values. */
export function isBlank(value: unknown): boolean {
	if (Array.isArray(value)) return value.every(isBlank);
	return typeof value === 'string' ? !VISIBLE.test(value) : value === undefined || value === null;
}

/** Parses a boolean, 1, 0, or a word such as "Yes" or "off" (specification, section 4, rule 5). */
export function parseBoolean(value: unknown): boolean | undefined {
	if (typeof value === 'boolean') return value;
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const text = normalizeText(String(value));
	if (/^(TRUE|1|YES|ON)$/.test(text)) return true;
	return /^(FALSE|0|NO|OFF)$/.test(text) ? false : undefined;
}

/** Matches "12", "-12.5" and "+5". */
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;

/** Matches "1.000", which is 1 in some countries and 1000 in others. "0.125" has one meaning. */
const THOUSANDS = /^[+-]?(?!0\.)\d{1,3}\.\d{3}$/;

/** Parses a number, or a text in plain digits: `"12.5"`. Undefined for "1,200", "1.000" and "1 000". */
export function parseNumber(value: unknown): number | undefined {
	if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
	const text = typeof value === 'string' ? cleanText(value) : '';
	const number = NUMBER.test(text) && !THOUSANDS.test(text) ? Number(text) : NaN;
	return Number.isFinite(number) ? number : undefined;
}

/** Formats a number that stands for text, such as an ID. Undefined for a negative or infinite one. */
export function formatNumber(value: unknown): string | undefined {
	return typeof value === 'number' && value >= 0 && value < Infinity ? String(value) : undefined;
}

/**
 * Parses ISO 8601, SQL's `2026-01-31 09:00`, `31.12.2026`, epoch seconds and milliseconds, and the objects that an
 * expression returns. Times without a zone are in `zone`. `Date.parse` is not enough: it finds a date in "Room 5".
 */
export function parseTimeMs(value: unknown, zone: string): number | undefined {
	const time = parseMillis(value, zone);
	return Number.isFinite(time) ? time : undefined;
}

function parseMillis(value: unknown, zone: string): number {
	if (value instanceof Date || DateTime.isDateTime(value)) return value.valueOf();
	if (typeof value === 'number') return parseEpoch(value);
	if (typeof value !== 'string') return NaN;
	const text = dotsToIso(cleanText(value));
	if (DIGITS.test(text)) return parseEpoch(Number(text));
	// only dates, because luxon would also parse years, weeks and times of day
	if (!/^\d{4}-\d\d-\d\d([T ]|$)/.test(text)) return NaN;
	// JavaScript parses a UTC time ten times as fast as luxon
	if (UTC.test(text)) return Date.parse(text);
	return DateTime.fromISO(text.replace(' ', 'T'), { zone }).toMillis();
}

/** Converts seconds of 10 digits or milliseconds of 13 digits to milliseconds. */
function parseEpoch(number: number): number {
	if (number >= 1e9 && number < 1e10) return Math.round(number * 1_000);
	return number >= 1e12 && number < 1e13 ? number : NaN;
}

const DIGITS = /^\d+$/;

export function isEpoch(value: unknown): boolean {
	return typeof value === 'number' || (typeof value === 'string' && DIGITS.test(cleanText(value)));
}

/** Matches "31.12.2026" and "1.2.2026, 8:30", not "31.12.26". */
const DOTTED = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?:,? (\d{1,2})(:\d\d(?::\d\d)?))?$/;

function dotsToIso(text: string): string {
	const [, day, month, year, hour, minutes = ''] = DOTTED.exec(text) ?? [];
	if (year === undefined) return text;
	const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
	return hour === undefined ? date : `${date}T${hour.padStart(2, '0')}${minutes}`;
}

/** Matches a time as the service writes it: "2026-01-31T09:00:00.000000Z" (specification, section 2.1). */
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

/** Parses a date without a time to ISO 8601: `31.1.2026` → `2026-01-31`. */
export function parseDay(value: unknown): string | undefined {
	if (typeof value !== 'string') return undefined;
	const text = dotsToIso(cleanText(value));
	if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
	return DateTime.fromISO(text, { zone: 'utc' }).toISODate() ?? undefined;
}

const UTC_MIDNIGHT = /^(\d{4}-\d\d-\d\d)[T ]00:00(?::00(?:\.0+)?)?(?:Z|\+00(?::?00)?)$/;

/** Returns the day of a time that is midnight in UTC. Databases write a date like this. */
export function parseUtcMidnight(value: unknown): string | undefined {
	const timeMs = parseTimeMs(value, 'utc');
	if (timeMs === undefined) return undefined;
	const hasOwnText = typeof value === 'string' ? !isEpoch(value) : DateTime.isDateTime(value);
	const text = hasOwnText ? cleanText(String(value)) : new Date(timeMs).toISOString();
	return UTC_MIDNIGHT.exec(text)?.[1];
}

/** Whether a value is a date or time without a zone, such as `2026-01-31 09:00`. */
export function isLocalTime(value: unknown): boolean {
	return parseTimeMs(value, 'utc') !== parseTimeMs(value, 'utc+1');
}

/** Matches `#REF!`, `#¿NOMBRE?` and `#N/A`. */
const SHEET_ERROR = /^#([¡¿]?[\d/._' ]*\p{Lu}[\p{Lu}\d/._' ]*[!?]|N\/A|NV|N\/D)$/u;

const SCRIPT_ERROR =
	/^(NaN|-?Infinity|undefined|\[undefined\]|Invalid Date|Invalid DateTime|\[object \w+\])$/;

/** Finds an error value, such as `#N/A` or `[object Object]`, which shows a mistake in the source of the data. */
export function findErrorValue(value: unknown): string | undefined {
	if (Array.isArray(value)) return value.map(findErrorValue).find((found) => found !== undefined);
	if (typeof value === 'number') return Number.isFinite(value) ? undefined : String(value);
	if (typeof value !== 'string') return undefined;
	const text = cleanText(value).normalize('NFC');
	if (SHEET_ERROR.test(text) || SCRIPT_ERROR.test(text)) return text;
	// at any place, because an expression can put an object in the middle of a sentence
	return text.includes('[object Object]') ? '[object Object]' : undefined;
}
