import lodash from 'lodash';
import type { Reply } from './connect.mts';
import { isServiceWord } from './describe.mts';

/** An anonymized reply to a GET, with the path below the base URL. */
export type RecordedReply = {
	path: string;
	status: number;
	headers: Record<string, string>;
	body: unknown;
};

/** A source of numbers from 0 (inclusive) to 1 (exclusive), such as Math.random. */
type Random = () => number;

/** Headers without data of an account. */
const HEADERS = ['content-type', 'link', 'x-ratelimit-limit', 'x-ratelimit-remaining'];

/** Matches words for yes and no, and other words of services. */
const PLAIN = /^(true|false|yes|no|on|off|none|asc|desc|0|1)?$/i;

/** Matches attributes that count or number pages and records. */
const COUNTER = /^(number|total|count|per_page|page|limit|from|to|(current|last)_page)$/;

/** Attributes whose value can be an object with labels as names. */
const LABELED = /^(answers|responses|value)$/;
const API_WORD = /^(api|v\d|forms|fields|responses?|pdf|workspace|)$/;
const ADDRESS = /(https?:\/\/[^\s"'<>|]+)/i;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const TIME = /^(\d{4}-\d\d-\d\d)([T ]\d\d:\d\d.*)?$/;
const DAY_MS = 86_400_000;
const MAX_ATTEMPTS = 50;

/**
 * Returns the replies with each text, label, ID and number replaced by another one of the same pattern and
 * length, addresses by addresses on example.com, and times by times that are earlier by a constant number of
 * days. Equal values stay equal, so that answers still match their fields and choices.
 *
 * @param random Math.random, or a constant sequence in tests
 */
export function anonymize(replies: readonly Reply[], random: Random): RecordedReply[] {
	const anonymizer = new Anonymizer(random, 1 + Math.floor(random() * 700));
	return replies
		.filter(({ status, body }) => status !== undefined && body !== undefined)
		.map(({ path, status, headers, body }) => ({
			path: anonymizer.replacePath(path),
			status: status!,
			headers: lodash.mapValues(lodash.pick(headers, HEADERS), (value, name) =>
				name === 'link' ? anonymizer.replaceAddresses(String(value)) : String(value),
			),
			body: anonymizer.replaceValue(body),
		}));
}

/** Replaces texts and IDs. Equal texts get the same replacement. */
class Anonymizer {
	private readonly replacements = new Map<string, string>();
	private readonly used = new Set<string>();
	private readonly random: Random;
	private readonly days: number;

	constructor(random: Random, days: number) {
		this.random = random;
		this.days = days;
	}

	replaceValue(value: unknown, name = ''): unknown {
		if (typeof value === 'string') return this.replaceText(value, name);
		if (typeof value === 'number')
			return COUNTER.test(name) ? value : Number(this.replaceText(String(value)));
		if (Array.isArray(value)) return value.map((entry) => this.replaceValue(entry));
		if (typeof value !== 'object' || value === null) return value;
		const entries = Object.entries(value as object).map(([key, entry]: [string, unknown]) => [
			LABELED.test(name) ? this.replaceText(key) : this.replaceName(key),
			this.replaceValue(entry, key),
		]);
		return Object.fromEntries(entries);
	}

	/** Replaces the parts of a path, except for words of the API and the numbers of pages. */
	replacePath(path: string): string {
		const [way, query] = path.split('?');
		const replaced = way
			.split(/([/.])/)
			.map((part) => (API_WORD.test(part) ? part : this.replaceText(decodeURIComponent(part))));
		const parameters = [...new URLSearchParams(query)].map(([name, value]) => {
			const isPage = /^\d{1,6}$/.test(value);
			return [this.replaceName(name), isPage ? value : this.replaceText(value)];
		});
		const search = parameters.length > 0 ? `?${new URLSearchParams(parameters)}` : '';
		return replaced.join('') + search;
	}

	/** Replaces the addresses in a text, and leaves what is between them. */
	replaceAddresses(text: string): string {
		return text.replace(new RegExp(ADDRESS, 'gi'), (address) => {
			const url = URL.parse(address);
			const path = url === null ? '/' : this.replacePath(url.pathname + url.search);
			return `https://example.com${path}`;
		});
	}

	private replaceText(text: string, name = ''): string {
		if (PLAIN.test(text) || (name === 'type' && isServiceWord(text))) return text;
		if (!ADDRESS.test(text)) return this.remember(UUID.test(text) ? text.toLowerCase() : text);
		// such as `cv.pdf|https://files.test/cv.pdf`
		const parts = text.split(ADDRESS);
		return parts
			.map((part, index) => {
				if (index % 2 === 1) return this.replaceAddresses(part);
				return part === '' ? '' : this.remember(part);
			})
			.join('');
	}

	/** Replaces the name of an attribute if it can be a label. */
	private replaceName(name: string): string {
		return /^\d+$/.test(name) || isServiceWord(name) ? name : this.replaceText(name);
	}

	/** Returns the replacement of a text. If all texts of a short pattern are used, two texts share one. */
	private remember(text: string): string {
		let replacement = this.replacements.get(text);
		for (let attempt = 0; replacement === undefined; attempt++) {
			const candidate = shiftTime(text, this.days) ?? scramble(text, this.random);
			const isFree = !this.used.has(candidate) && candidate !== text;
			if (isFree || attempt === MAX_ATTEMPTS) replacement = candidate;
		}
		this.used.add(replacement);
		this.replacements.set(text, replacement);
		return replacement;
	}
}

/** Replaces letters, digits, and the characters of a UUID; zeros, capitals and punctuation stay. */
function scramble(text: string, random: Random): string {
	const pick = (characters: string) => characters[Math.floor(random() * characters.length)];
	if (UUID.test(text)) return text.replace(/[\da-f]/gi, () => pick('0123456789abcdef'));
	const letters = 'abcdefghijklmnopqrstuvwxyz';
	return text
		.replace(/\p{Lu}/gu, () => pick(letters).toUpperCase())
		.replace(/(?!\p{Lu})[\p{L}\p{M}]/gu, () => pick(letters))
		.replace(/[1-9]|(?!0)\p{N}/gu, () => pick('123456789'));
}

/** Returns a time or day that is earlier by a number of days, in the same format. Undefined for any other text. */
function shiftTime(text: string, days: number): string | undefined {
	const [, day, clock = ''] = TIME.exec(text) ?? [];
	const ms = Date.parse(day);
	if (Number.isNaN(ms)) return undefined;
	return new Date(ms - days * DAY_MS).toISOString().slice(0, 10) + clock;
}
