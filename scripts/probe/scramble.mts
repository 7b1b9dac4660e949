/* Replacements of single texts, by their format. Randomness is a parameter. */

/** A source of numbers from 0 (inclusive) to 1 (exclusive), such as Math.random. */
export type Random = () => number;

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const TIME = /^(\d{4}-\d\d-\d\d)(?:([T ])(\d\d:\d\d[\d:.]*)(Z|[+-]\d\d:?\d\d)?)?$/;
const DOTTED_DAY = /^(\d\d)\.(\d\d)\.(\d{4})$/;

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const DAY_MS = 86_400_000;

export const isUuid = (text: string): boolean => UUID.test(text);

const pick = (characters: string, random: Random) =>
	characters[Math.floor(random() * characters.length)];

/** Returns a string of the same pattern and length: letters, capitals, digits and punctuation stay in their places. */
export function scrambleText(text: string, random: Random): string {
	return [...text]
		.map((character) => {
			if (/\p{Lu}/u.test(character)) return pick(LETTERS, random).toUpperCase();
			if (/[\p{L}\p{M}]/u.test(character)) return pick(LETTERS, random);
			return /\p{N}/u.test(character) ? pick('0123456789', random) : character;
		})
		.join('');
}

/** Returns another ID of the same pattern. A UUID becomes another UUID. */
export function scrambleId(id: string, random: Random): string {
	if (!isUuid(id)) return scrambleText(id, random);
	return id.replace(/[\da-f]/gi, () => pick('0123456789abcdef', random));
}

/** Returns a number with the same number of digits. Zeros stay. */
export function scrambleNumber(value: number, random: Random): number {
	return Number(String(value).replace(/[1-9]/g, () => pick('123456789', random)));
}

function shiftDay(day: string, days: number): string | undefined {
	const ms = Date.parse(day);
	return Number.isNaN(ms) ? undefined : new Date(ms - days * DAY_MS).toISOString().slice(0, 10);
}

/**
 * Returns a time or day that is earlier by a number of days, in the same format: `2026-01-31T10:00:00Z`,
 * `2026-01-31` or `31.01.2026`. Undefined for any other text.
 */
export function shiftTime(text: string, days: number): string | undefined {
	const [, day, separator = '', clock = '', zone = ''] = TIME.exec(text) ?? [];
	if (day !== undefined) {
		const shifted = shiftDay(day, days);
		return shifted && `${shifted}${separator}${clock}${zone}`;
	}
	const [, dayOfMonth, month, year] = DOTTED_DAY.exec(text) ?? [];
	if (year === undefined) return undefined;
	return shiftDay(`${year}-${month}-${dayOfMonth}`, days)?.split('-').reverse().join('.');
}
