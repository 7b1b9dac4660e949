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
	forms fields submissions url link pdf_url download_url count total_pages next_page`;

const names = new Set([
	...ATTRIBUTES.split(/\s+/),
	...Object.keys(settingRules),
	...(schemas.match(/(?<=")[a-z]\w*(?=": \{)/g) ?? []),
]);

/** Attributes by their names; those that may be labels are only counted. */
export function showNames(given: readonly string[]): string[] {
	const [known, others] = lodash.partition(given, (name) => names.has(name));
	return others.length === 0 ? known : [...known, `${others.length} with another name`];
}

/** Words of which types of fields are made. */
const TYPE = new RegExp(
	`^((text|string|short|long|area|paragraph|hidden|email|phone|tel|url|number|rating|scale|slider|nps|date
	|time|file|image|upload|attachment|boolean|checkbox|checkboxes|select|dropdown|radio|single|multi|multiple
	|choice|tags|signature|matrix|grid|ranking|payment|address|country|name|color|heading|divider|html|page
	|section|break|consent|terms|captcha|calculation|field|input)[-_ ]?)+$`.replaceAll(/\s/g, ''),
);

/** The type of a field, unless somebody may have made it up. */
export const showType = (type: unknown): string =>
	typeof type === 'string' && TYPE.test(type) ? type : 'another type';

const ADDRESS = '<address>';

/** What the package itself says in an error; it quotes others in quotes, brackets, URLs and after colons. */
export function showError(message: string): string {
	const [own] = message.replaceAll(/\w+:\/\/\S+/g, ADDRESS).split(/["(\n]|: /);
	return own.split(ADDRESS).map(keepOwnWords).join(ADDRESS).trim().replace(/ to$/, '');
}

/** The beginning of a text, as far as its parts are in the package's sources; one word can be anything. */
function keepOwnWords(text: string): string {
	const words = text.split(' ');
	const others: string[] = [];
	while (words.length > 1 && !sources.includes(words.join(' '))) others.unshift(words.pop()!);
	if (words.length < 2) return '';
	const rest = keepOwnWords(others.join(' '));
	return words.join(' ') + (rest && ` ${rest}`);
}
