import lodash from 'lodash';
import type { Reply } from './connect.mts';

/** An anonymized reply to a GET, with the path below the base URL. */
export type RecordedReply = {
	path: string;
	status: number;
	headers: Record<string, string>;
	body: unknown;
};

/** Whether a text is a name that services use, such as `created_at`; labels rarely look like this. */
export const isServiceWord = (text: string): boolean =>
	/^[a-z]{1,20}([-_][a-z]{1,20}){0,4}([-_]?\d{1,2})?$/.test(text);

/** Headers without data of an account. */
const HEADERS = ['content-type', 'link', 'x-ratelimit-limit', 'x-ratelimit-remaining'];

/** Matches attributes that count or number pages and records. */
const COUNTER = /^(number|total|count|per_page|page|limit|from|to|(current|last)_page)$/;

/** Attributes whose value can be an object with labels as names. */
const LABELED = /^(answers|responses|value)$/;

/** What is replaced as a whole: origins, names in a query, times, UUIDs, encoded characters, and words. */
const ORIGIN = /https?:\/\/[^\s/?#"'<>|]+/i;
const QUERY = /[?&](page=\d+|[a-z_]+=)/i;
const TIME = /\d{4}-\d\d-\d\d([T ]\d\d:[\d:.]+Z?)?/;
const UUID = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/i;
const ENCODED = /%[\da-f]{2}/i;
const WORD = /[\p{L}\p{M}\p{N}]+/u;
const PARTS = new RegExp(
	[ORIGIN, QUERY, TIME, UUID, ENCODED, WORD].map(({ source }) => source).join('|'),
	'giu',
);

/** Words of the API's paths and for yes and no. */
const KEPT = /^(api|v\d|forms|fields|responses?|pdf|workspace|true|false|yes|no|on|off|none|0|1)$/i;
const DAY_MS = 86_400_000;
const MAX_ATTEMPTS = 50;

/**
 * Returns the replies with each word, ID and number replaced by another one of the same pattern and length,
 * origins by example.com, and times by times that are earlier by a constant number of days. Equal texts stay
 * equal, so that answers still match their fields and choices.
 */
export function anonymize(replies: readonly Reply[]): RecordedReply[] {
	const replacePart = createReplacer();
	const replaceText = (text: string) => text.replace(PARTS, (part) => replacePart(part));

	/** @param name the attribute that has the value */
	function replaceValue(value: unknown, name = ''): unknown {
		if (typeof value === 'string')
			return name === 'type' && isServiceWord(value) ? value : replaceText(value);
		if (typeof value === 'number')
			return COUNTER.test(name) ? value : Number(replaceText(String(value)));
		if (Array.isArray(value)) return value.map((entry) => replaceValue(entry));
		if (!lodash.isPlainObject(value)) return value;
		const entries = Object.entries(value as object).map(([key, entry]: [string, unknown]) => {
			const isKept = /^\d+$/.test(key) || (isServiceWord(key) && !LABELED.test(name));
			return [isKept ? key : replaceText(key), replaceValue(entry, key)];
		});
		return Object.fromEntries(entries);
	}

	return replies
		.filter(({ status, body }) => status !== undefined && body !== undefined)
		.map(({ path, status, headers, body }) => ({
			path: replaceText(path),
			status: status!,
			headers: lodash.mapValues(lodash.pick(headers, HEADERS), (value, name) =>
				name === 'link' ? String(value).replace(/<.*?>/g, replaceText) : String(value),
			),
			body: replaceValue(body),
		}));
}

/** Creates a function that gives equal parts of texts the same replacement, and others another one. */
function createReplacer() {
	const replacements = new Map<string, string>();
	const used = new Set<string>();
	const days = lodash.random(1, 700);
	return (part: string): string => {
		if (ORIGIN.test(part)) return 'https://example.com';
		if (QUERY.test(part) || KEPT.test(part)) return part;
		if (ENCODED.test(part)) return '-';
		let replacement = replacements.get(part);
		// if all texts of a short pattern are used, two parts share one
		for (let attempt = 0; replacement === undefined; attempt++) {
			const candidate = shiftTime(part, days) ?? scramble(part);
			const isFree = !used.has(candidate) && candidate !== part;
			if (isFree || attempt === MAX_ATTEMPTS) replacement = candidate;
		}
		used.add(replacement);
		replacements.set(part, replacement);
		return replacement;
	};
}

/** Replaces letters, digits, and the characters of a UUID; zeros and capitals stay. */
function scramble(part: string): string {
	const pick = (characters: string) => lodash.sample(characters)!;
	if (UUID.test(part)) return part.replace(/[\da-f]/gi, () => pick('0123456789abcdef'));
	const letters = 'abcdefghijklmnopqrstuvwxyz';
	return part
		.replace(/\p{Lu}/gu, () => pick(letters).toUpperCase())
		.replace(/(?!\p{Lu})[\p{L}\p{M}]/gu, () => pick(letters))
		.replace(/[1-9]|(?!0)\p{N}/gu, () => pick('123456789'));
}

/** Returns a time or day that is earlier by a number of days, in the same format. Undefined for any other text. */
function shiftTime(part: string, days: number): string | undefined {
	if (!TIME.test(part)) return undefined;
	const ms = Date.parse(part.slice(0, 10));
	if (Number.isNaN(ms)) return undefined;
	return new Date(ms - days * DAY_MS).toISOString().slice(0, 10) + part.slice(10);
}
