import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import lodash from 'lodash';
import { settingRules } from '../../test/service/specification/settingsRules.mts';
import { root } from '../lib/paths.mts';

/*
 * The words that may be printed. Any name or text in a reply can be a label or a secret, so only words of
 * the package itself, of the specification and of replies seen in the field are.
 */

const readAll = (pattern: string) =>
	globSync(`nodes/FormService/${pattern}`, { cwd: root })
		.map((path) => readFileSync(join(root, path), 'utf8'))
		.join('\n');

const sources = readAll('api/**/*.ts');
const schemas = readAll('__schema__/**/*.json');

/** Attributes of records (specification, section 2), and where replies describe their pages. */
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

/** Whether a name is a word of the specification or of replies seen in the field, and no label. */
export const isNameOfReply = (name: string): boolean => names.has(name);

/** Attributes by their names; those that may be labels are only counted. */
export function showNames(attributeNames: readonly string[]): string[] {
	const [known, unknownNames] = lodash.partition(attributeNames, (name) => names.has(name));
	return unknownNames.length === 0 ? known : [...known, `${unknownNames.length} with another name`];
}

/** A type of field is the service's own word, such as `signature_pad` or `opinionScale`. */
const TYPE = /^[a-z]{2,20}([-_ ]?[a-zA-Z][a-z]{1,20}){0,3}$/;

/** Attributes that can have the type of a field as their text: the label of a signature is often "Signature". */
const LABELS = ['type', 'label', 'name', 'title', 'key', 'custom_key'];

/** The texts of a reply in small letters, except for types and labels. */
function collectTexts(value: unknown): string[] {
	if (typeof value === 'string') return [value.toLowerCase()];
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([name, entry]: [string, unknown]) =>
		LABELS.includes(name) && typeof entry === 'string' ? [] : collectTexts(entry),
	);
}

/**
 * Returns how the type of a field is printed. A word that is an answer or another text of a reply, or a part
 * of the token or the address, may be private.
 *
 * @param replies those that have come when a type is asked for
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

/** What the package itself says in an error; it quotes others in quotes, brackets, URLs and after colons. */
export function showError(message: string): string {
	const [packageText] = message.replaceAll(/\w+:\/\/\S+/g, ADDRESS).split(/["(\n]|: /);
	return packageText.split(ADDRESS).map(keepOwnWords).join(ADDRESS).trim().replace(/ to$/, '');
}

/** The beginning of a text, as far as its parts are in the package's sources; one word can be anything. */
function keepOwnWords(text: string): string {
	const words = text.split(' ');
	const laterWords: string[] = [];
	while (words.length > 1 && !sources.includes(words.join(' '))) laterWords.unshift(words.pop()!);
	if (words.length < 2) return '';
	const laterText = keepOwnWords(laterWords.join(' '));
	return words.join(' ') + (laterText && ` ${laterText}`);
}
