import lodash from 'lodash';
import type { Reply } from './connect.mts';
import { isServiceWord } from './describe.mts';
import {
	isUuid,
	scrambleId,
	scrambleNumber,
	scrambleText,
	shiftTime,
	type Random,
} from './scramble.mts';

/** An anonymized reply to a GET, with the path below the base URL. */
export type RecordedReply = {
	path: string;
	status: number;
	headers: Record<string, string>;
	body: unknown;
};

/** Headers without data of an account. */
const HEADERS = ['content-type', 'link', 'x-ratelimit-limit', 'x-ratelimit-remaining'];

/** Matches words for yes and no, and other words of services. */
const PLAIN = /^(true|false|yes|no|on|off|none|asc|desc)?$/i;

/** Matches attributes that count or number pages and records. */
const COUNTER = /^(number|total|count|per_page|page|limit|from|to|(current|last)_page)$/;

const ID_NAME = /(^|_)(id|uuid|slug)$/;
const LABEL_NAME = /^(label|title|key)$/;
/** Attributes whose value can be an object with labels as names. A list of answers has none. */
const ANSWERS_NAME = /^(answers|responses)$/;
const LABELED_NAME = /^(answers|responses|value)$/;
const API_WORD = /^(api|v\d|forms|fields|responses?|pdf|workspace|)$/;
const FILE = /^([^|]*)\|\s*(https?:\/\/\S+)$/i;
const MAX_ATTEMPTS = 50;

/**
 * Returns the replies with each string replaced by a string of the same pattern and length, each ID by another ID,
 * labels by "Label 1", addresses by addresses on example.com, and times by times that are earlier by a constant
 * number of days. Equal values stay equal, so that answers still match their fields and choices.
 *
 * @param random Math.random, or a constant sequence in tests
 */
export function anonymize(replies: readonly Reply[], random: Random): RecordedReply[] {
	const anonymizer = new Anonymizer(random, 1 + Math.floor(random() * 700));
	for (const { path, body } of replies) anonymizer.register(path, body);
	return replies
		.filter(({ status, body }) => status !== undefined && body !== undefined)
		.map(({ path, status, headers, body }) => ({
			path: anonymizer.replacePath(path),
			status: status!,
			headers: lodash.mapValues(lodash.pick(headers, HEADERS), (value) =>
				anonymizer.replaceAddresses(String(value)),
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
	private labels = 0;

	constructor(random: Random, days: number) {
		this.random = random;
		this.days = days;
	}

	/** Registers the IDs and labels of a reply, before texts are replaced. */
	register(path: string, value: unknown, name = ''): void {
		for (const part of path.split('?')[0].split('/'))
			if (!API_WORD.test(part)) this.replaceId(part);
		if (typeof value === 'string' && ID_NAME.test(name) && value !== '') this.replaceId(value);
		else if (typeof value === 'string' && LABEL_NAME.test(name)) this.replaceLabel(value);
		else if (lodash.isObject(value))
			for (const [key, entry] of Object.entries(value)) this.register('', entry, key);
	}

	replaceValue(value: unknown, name = ''): unknown {
		if (typeof value === 'string') return this.replaceText(value, name);
		if (typeof value === 'number') {
			// 0 and 1 can be no and yes
			const isPlain = COUNTER.test(name) || value === 0 || value === 1;
			return isPlain ? value : scrambleNumber(value, this.random);
		}
		if (Array.isArray(value)) {
			const entryName = ANSWERS_NAME.test(name) ? '' : name;
			return value.map((entry) => this.replaceValue(entry, entryName));
		}
		if (typeof value !== 'object' || value === null) return value;
		const entries = Object.entries(value as object).map(([key, entry]: [string, unknown]) => [
			this.replaceName(key, LABELED_NAME.test(name)),
			this.replaceValue(entry, key),
		]);
		return Object.fromEntries(entries);
	}

	/** Replaces the parts of a path, except for words of the API and the numbers of pages. */
	replacePath(path: string): string {
		const [way, query = ''] = path.split('?');
		const parts = way
			.split('/')
			.map((part) => (API_WORD.test(part) ? part : this.replaceFileName(part)));
		const parameters = [...new URLSearchParams(query)].map(([name, value]) => {
			const isPlain = /^\d{1,6}$/.test(value) || PLAIN.test(value);
			return `${this.replaceName(name)}=${isPlain ? value : encodeURIComponent(this.replaceText(value))}`;
		});
		return parts.join('/') + (parameters.length > 0 ? `?${parameters.join('&')}` : '');
	}

	replaceAddresses(text: string): string {
		return text.replace(/https?:\/\/[^\s"'<>|]+/gi, (address) => {
			const url = URL.parse(address);
			return `https://example.com${url === null ? '/' : this.replacePath(url.pathname + url.search)}`;
		});
	}

	private replaceText(text: string, name = ''): string {
		if (PLAIN.test(text) || (name === 'type' && isServiceWord(text))) return text;
		const known = this.replacements.get(text) ?? this.replacements.get(text.toLowerCase());
		if (known !== undefined) return known;
		if (isUuid(text)) return this.replaceId(text);
		const [, file, link] = FILE.exec(text) ?? [];
		if (link !== undefined) return `${this.replaceFileName(file)}|${this.replaceAddresses(link)}`;
		if (/^https?:\/\/\S+$/i.test(text)) return this.replaceAddresses(text);
		return shiftTime(text, this.days) ?? this.scramble(text);
	}

	/** Replaces the name of a file, but not its extension. */
	private replaceFileName(name: string): string {
		const [, base, extension = ''] = /^(.*?)(\.[a-z\d]{1,5})?$/is.exec(name)!;
		const isId = this.replacements.has(base.toLowerCase()) || isUuid(base);
		return (isId ? this.replaceId(base) : this.scramble(base)) + extension;
	}

	/** Replaces the name of an attribute if it can be a label. */
	private replaceName(name: string, isLabel = false): string {
		if (/^\d+$/.test(name) || (isServiceWord(name) && !isLabel)) return name;
		if (isUuid(name) || this.replacements.has(name.toLowerCase())) return this.replaceId(name);
		return this.replaceLabel(name);
	}

	private replaceLabel(label: string): string {
		return this.remember(label, () => `Label ${++this.labels}`);
	}

	private replaceId(id: string): string {
		return this.remember(id.toLowerCase(), () => scrambleId(id, this.random));
	}

	private scramble(text: string): string {
		return this.remember(text, () => scrambleText(text, this.random));
	}

	/**
	 * Returns the replacement of a string, and creates it on the first call. If all strings of a short pattern are
	 * used, two strings share a replacement.
	 */
	private remember(text: string, create: () => string): string {
		let replacement = this.replacements.get(text);
		for (let attempt = 0; replacement === undefined; attempt++) {
			const candidate = create();
			const isFree = !this.used.has(candidate) && candidate !== text;
			if (isFree || attempt === MAX_ATTEMPTS) replacement = candidate;
		}
		this.used.add(replacement);
		this.replacements.set(text, replacement);
		return replacement;
	}
}
