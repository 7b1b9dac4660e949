/* Replacements of single texts, by their format. Randomness is a parameter. */

/** A source of numbers from 0 (inclusive) to 1 (exclusive), such as Math.random. */
export type Random = () => number;

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const TIME = /^(\d{4}-\d\d-\d\d)([T ]\d\d:\d\d.*)?$/;
const DAY_MS = 86_400_000;

export const isUuid = (text: string): boolean => UUID.test(text);

const pick = (characters: string, random: Random) =>
	characters[Math.floor(random() * characters.length)];

/** Returns a string of the same pattern and length: letters, capitals, digits and punctuation stay in their places. */
export function scrambleText(text: string, random: Random): string {
	const letters = 'abcdefghijklmnopqrstuvwxyz';
	return [...text]
		.map((character) => {
			if (/\p{Lu}/u.test(character)) return pick(letters, random).toUpperCase();
			if (/[\p{L}\p{M}]/u.test(character)) return pick(letters, random);
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

/** Returns a time or day that is earlier by a number of days, in the same format. Undefined for any other text. */
export function shiftTime(text: string, days: number): string | undefined {
	const [, day, clock = ''] = TIME.exec(text) ?? [];
	const ms = Date.parse(day);
	if (Number.isNaN(ms)) return undefined;
	return new Date(ms - days * DAY_MS).toISOString().slice(0, 10) + clock;
}
