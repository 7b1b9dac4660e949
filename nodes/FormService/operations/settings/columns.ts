import type { IDataObject } from 'n8n-workflow';
import { settings } from '../../api/settings/settings';
import type { Setting } from '../../api/settings/settings';

/** What the fields of an input item, such as the columns of a sheet, say about settings. */
export type Columns = {
	/** By the service's names, without empty ones: these leave a setting as it is. */
	values: Record<string, unknown>;
	/** The input field that gives each setting, by the service's names. */
	titles: Map<string, string>;
	/** The input fields that match a setting, empty or not. */
	matched: string[];
	/** The input fields that are not used. */
	ignored: string[];
	/** What is wrong, in sentences. */
	problems: string[];
};

/** Settings whose names are common in sheets with another meaning: whether they count is a choice. */
export type CommonNames = Readonly<Record<'name' | 'description', boolean>>;

const bySpelling = new Map(
	settings.flatMap((setting) =>
		[setting.name, setting.displayName].map((name) => [spellingOf(name), setting]),
	),
);

/**
 * Finds the settings among the fields of an input item, by the service's names or the editor's. Case,
 * blanks and punctuation make no difference.
 */
export function readColumns(item: IDataObject, commonNames: CommonNames): Columns {
	const columns: Columns = {
		values: {},
		titles: new Map(),
		matched: [],
		ignored: [],
		problems: [],
	};
	for (const [title, value] of Object.entries(item)) {
		const setting = bySpelling.get(spellingOf(title));
		const isEmpty = value === undefined || value === null || String(value).trim() === '';
		if (setting === undefined || !counts(setting, commonNames)) {
			columns.ignored.push(title);
			const meant = setting === undefined && !isEmpty ? nearlyNamed(title, commonNames) : undefined;
			if (meant !== undefined) columns.problems.push(notASetting(title, meant));
			continue;
		}
		columns.matched.push(title);
		if (isEmpty) continue;
		const other = columns.titles.get(setting.name);
		if (other !== undefined) columns.problems.push(sameSetting(other, title));
		columns.titles.set(setting.name, title);
		columns.values[setting.name] = value;
	}
	return columns;
}

function counts({ name }: Setting, commonNames: CommonNames): boolean {
	return name === 'name' || name === 'description' ? commonNames[name] : true;
}

const notASetting = (title: string, { name }: Setting) =>
	`'${title}' is not a setting. Did you mean '${name}'? Rename the input field or remove it.`;

const sameSetting = (one: string, other: string) =>
	`'${one}' and '${other}' give the same setting. Remove one of them or leave it empty.`;

/** The letters and digits of a name: "SEO: Title", "seo_title" and "seo title" are one name. */
function spellingOf(name: string): string {
	return name
		.normalize('NFKC')
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]/gu, '');
}

/** Shorter names are too easily one letter apart. */
const MIN_LENGTH = 6;

/** The setting whose name is misspelled by one letter. */
function nearlyNamed(title: string, commonNames: CommonNames): Setting | undefined {
	const given = spellingOf(title);
	if (given.length < MIN_LENGTH) return undefined;
	const near = [...bySpelling].find(
		([spelling, setting]) =>
			spelling.length >= MIN_LENGTH &&
			counts(setting, commonNames) &&
			isOneEditApart(spelling, given),
	);
	return near?.[1];
}

/** Whether two names differ by one letter that is missing, added or another, or by two swapped ones. */
function isOneEditApart(one: string, other: string): boolean {
	if (Math.abs(one.length - other.length) > 1) return false;
	let start = 0;
	while (start < one.length && one[start] === other[start]) start++;
	let end = 0;
	const shorter = Math.min(one.length, other.length);
	while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++;
	const [from, to] = [one, other].map((name) => name.slice(start, name.length - end));
	const isSwapped = from.length === 2 && to.length === 2 && from[0] === to[1] && from[1] === to[0];
	return isSwapped || (from.length <= 1 && to.length <= 1);
}
