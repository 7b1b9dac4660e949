import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import lodash from 'lodash';
import { settingRules } from '../../test/service/specification/settingsRules.mts';
import { root } from '../lib/paths.mts';

/*
 * The words that may be printed. A name or text in a reply can be a label or a secret, so only words of the
 * package, of the specification and of known replies may be printed.
 */

const readAll = (pattern: string) =>
	globSync(`nodes/FormService/${pattern}`, { cwd: root })
		.map((path) => readFileSync(join(root, path), 'utf8'))
		.join('\n');

const sources = readAll('api/**/*.ts');
const schemas = readAll('__schema__/**/*.json');

/** Attributes of records (specification, section 2), and attributes about the pages of a list. */
const ATTRIBUTES = `logo favicon ogimage owner members timezone locale webhook_secret options required
	custom_key key value response responses answers data success message errors referrer completed_at
	links meta pagination next prev first last self next_page_url current_page last_page per_page
	page page_size limit offset total cursor next_cursor has_more items results records rows entries
	forms fields submissions url link pdf_url download_url count total_pages next_page to path
	slack_webhook_url discord_webhook_url checkout_canceled_message checkout_canceled_cta
	email_verified_at two_factor_confirmed_at altcha_label altcha_label_verified form_not_found_message
	time_restriction_message first_page_url last_page_url prev_page_url track_incomplete incomplete logo_backend
	hubspot_sync hubspot_sync_completed google_sheets_sync google_sheets_synced_at webhook_sent enrich`;

const names = new Set([
	...ATTRIBUTES.split(/\s+/),
	...Object.keys(settingRules),
	...(schemas.match(/(?<=")[a-z]\w*(?=": \{)/g) ?? []),
]);

/** Whether a name is a word of the specification or of known replies, and so not a label. */
export const isNameOfReply = (name: string): boolean => names.has(name);

/** Returns the names of attributes. Only counts the names that may be labels: `2 with another name`. */
export function showNames(attributeNames: readonly string[]): string[] {
	const [known, unknownNames] = lodash.partition(attributeNames, (name) => names.has(name));
	return unknownNames.length === 0 ? known : [...known, `${unknownNames.length} with another name`];
}

/** Matches a type of field: `signature_pad`, `opinionScale`. */
const TYPE = /^[a-z]{2,20}([-_ ]?[a-zA-Z][a-z]{1,20}){0,3}$/;

/** Attributes whose text can be the type of a field: the label of a signature is often "Signature". */
const LABELS = ['type', 'label', 'name', 'title', 'key', 'custom_key'];

/** Collects the texts of a reply in lowercase, except for types and labels. */
function collectTexts(value: unknown): string[] {
	if (typeof value === 'string') return [value.toLowerCase()];
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([name, entry]: [string, unknown]) =>
		LABELS.includes(name) && typeof entry === 'string' ? [] : collectTexts(entry),
	);
}

/**
 * Creates a function that returns the printable type of a field. A word that occurs in an answer or another
 * text of a reply, in the token or in the address may be private.
 *
 * @param replies the replies up to now; later replies are added to this list
 */
export function createTypeNames(
	replies: ReadonlyArray<{ body?: unknown }>,
	secrets: readonly string[],
) {
	return (type: unknown): string => {
		if (typeof type !== 'string' || !TYPE.test(type)) return 'another type';
		const word = type.toLowerCase();
		const isSecret = secrets.some((secret) => secret.toLowerCase().includes(word));
		const isText = replies.some(({ body }) => collectTexts(body).includes(word));
		return isSecret || isText ? 'another type' : type;
	};
}

const ADDRESS = '<address>';

/**
 * Returns the package's words of an error message. The words of others are in quotes, brackets and URLs, and
 * after colons.
 */
export function showError(message: string): string {
	const [packageText] = message.replaceAll(/\w+:\/\/\S+/g, ADDRESS).split(/["(\n]|: /);
	return packageText.split(ADDRESS).map(keepOwnWords).join(ADDRESS).trim().replace(/ to$/, '');
}

/** Returns the words of a string that occur in the package's sources, in sequences of at least two words. */
function keepOwnWords(text: string): string {
	const words = text.split(' ');
	const laterWords: string[] = [];
	while (words.length > 1 && !sources.includes(words.join(' '))) laterWords.unshift(words.pop()!);
	if (words.length < 2) return '';
	const laterText = keepOwnWords(laterWords.join(' '));
	return words.join(' ') + (laterText && ` ${laterText}`);
}
