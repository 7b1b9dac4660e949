import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import lodash from 'lodash';
import type * as kinds from '../../nodes/FormService/api/answers/kinds.ts';
import type * as names from '../../nodes/FormService/api/answers/names.ts';
import type * as settings from '../../nodes/FormService/api/settings/settings.ts';
import { builtFile } from '../../test/integration/n8n/built.mts';
import { root } from '../lib/paths.mts';

/*
 * The words of a service that may be printed. Any name in a reply can be a label, so a name is printed only
 * if the specification, replies seen in the field or the package itself have the name.
 */

/** Attributes that the specification (section 2.1) or replies seen in the field have, and no table of the package. */
const SEEN = `logo logo_backend ogimage favicon slack_webhook_url discord_webhook_url webhook_secret
	checkout_canceled_message checkout_canceled_cta email_verified_at two_factor_confirmed_at
	options required custom_key key value response responses success data message errors`;

/** Where replies describe their pages, and the parameters of pages. */
const PAGING = `links meta pagination link next prev previous first last self next_page_url prev_page_url
	current_page last_page per_page page page_size limit offset total from to path cursor next_cursor
	prev_cursor has_more items result results records list rows entries forms submissions url link
	download_url count total_pages total_count next_page next_page_token has_next`;

type Schema = { properties?: Record<string, Schema>; items?: Schema };

const listNames = ({ properties = {}, items = {} }: Schema): string[] =>
	[properties, items.properties ?? {}].flatMap((own) =>
		Object.entries(own).flatMap(([name, schema]) => [name, ...listNames(schema)]),
	);

const api = 'nodes/FormService/api';
const { findKind, kinds: table } = builtFile<typeof kinds>(`${api}/answers/kinds.js`);
const previews = globSync('nodes/FormService/__schema__/**/*.json', { cwd: root });

const attributes = new Set([
	...`${SEEN} ${PAGING}`.split(/\s+/),
	...builtFile<typeof names>(`${api}/answers/names.js`).RESPONSE_ATTRIBUTES,
	...builtFile<typeof settings>(`${api}/settings/settings.js`).settings.map(({ name }) => name),
	...previews.flatMap((path) =>
		listNames(JSON.parse(readFileSync(join(root, path), 'utf8')) as Schema),
	),
]);

/** Types of fields that the package reads as text on purpose; its table of kinds has all other known types. */
const TEXTS =
	'text textarea string email phone tel url short_text long_text paragraph hidden'.split(' ');

/** Words of which types of fields are made. */
const typeWords = new Set([
	...TEXTS.join('_').split('_'),
	...Object.values(table).flatMap(({ types }) => types.source.match(/[a-z]{2,}/g) ?? []),
	...`address country website name first last full password signature matrix grid ranking payment
		likert color month week year image video audio richtext rich consent terms captcha calculation
		group repeater title description button input field area single multi group statement`.split(/\s+/),
]);

/** Whether the name of an attribute may be printed; \`createdAt\` is \`created_at\`, and "Name" can be a label. */
export const isKnownName = (name: string) =>
	/^[a-z]\w*$/.test(name) && attributes.has(lodash.snakeCase(name));

/** Attributes by their names; those that may be labels are counted, and described by the lengths of their names. */
export function showNames(given: readonly string[]): string[] {
	const [known, others] = lodash.partition(given, isKnownName);
	if (others.length === 0) return known;
	const lengths = others.map(({ length }) => length).sort((one, other) => one - other);
	const range = lodash.uniq([lengths[0], lengths.at(-1)]).join(' to ');
	const noun = others.length === 1 ? 'another attribute' : `${others.length} other attributes`;
	return [...known, `${noun} (${range} characters)`];
}

/** A type of a field, and whether the package knows the type; it takes answers to other types as text. */
export function showType(type: unknown): { shown: string; isKnown: boolean } {
	if (typeof type !== 'string' || type === '') return { shown: 'no type', isKnown: false };
	const words = lodash.snakeCase(type).split('_');
	const isPrintable = /^[\w-]+$/.test(type) && words.every((word) => typeWords.has(word));
	const isKnown = findKind({ type }) !== 'text' || TEXTS.includes(lodash.snakeCase(type));
	return { shown: isPrintable ? type : `another type of ${type.length} characters`, isKnown };
}
