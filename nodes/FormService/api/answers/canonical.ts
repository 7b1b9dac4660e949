import { uniq } from 'lodash';
import { findChoices, indexChoices, splitChoices } from './choices';
import { isNothing, kinds, normalizeText } from './kinds';
import type { AnsweredField } from './kinds';
import { toCaseless } from './names';
import { withFiles } from './uploads';

/**
 * An answer as it is compared. Two answers to a field are equal if their forms are equal, and different if
 * both are clear and their forms differ. Otherwise they cannot be compared.
 *
 * - A list is compared by its entries, in any order, and a choice by its value.
 * - A text is unclear if it can be split into choices in two ways, or is the value of one choice and the name
 *   of another. Any other text with commas can be a list of its parts.
 */
export type Canonical = {
	/** Undefined if the answer can be read in several ways. */
	form?: string;
	/** Why an answer is unclear: the end of a sentence that begins with "The answer". */
	unclear?: string;
	/** The texts, as parts in order, that the answer can be written as; undefined if it can be any. */
	spellings?: readonly string[];
};

/** Whether two answers are equal, or cannot be compared because they can be written as the same text. */
export function canBeSame(one: Canonical, other: Canonical): boolean {
	if (one.form !== undefined && one.form === other.form) return true;
	if (one.unclear === undefined && other.unclear === undefined) return false;
	const { spellings } = other;
	return (
		spellings === undefined || (one.spellings?.some((text) => spellings.includes(text)) ?? true)
	);
}

/** @param given an answer as a service lists it, or as it is sent, but with a list as its entries */
export function canonicalize(given: unknown, { kind, choices }: AnsweredField): Canonical {
	const { normalize, unclear } = kinds[kind];
	const known = indexChoices(choices);
	const value: unknown = withFiles(given as never);
	const filled = [value].flat().filter((entry) => !isNothing(entry));
	const texts = filled.map((entry) => normalize(entry) ?? findChoices(entry, known).at(0)?.name);
	if (!texts.every((text) => text !== undefined)) return { unclear };
	const takesSeveral = kind === 'multipleChoice' || choices.length === 0;
	const isSplit = takesSeveral && normalize === normalizeText && typeof value === 'string';
	const { ways, entries } =
		isSplit && value.includes(',')
			? splitChoices(texts[0], known)
			: { ways: texts.some((text) => findChoices(text, known).length > 1) ? 2 : 1, entries: texts };
	const spelling = makeSpelling(texts);
	if (ways !== 1) {
		const form = ways === 0 ? texts[0] : undefined;
		return { form, unclear: 'is ambiguous', spellings: [spelling] };
	}
	const chosen = entries.map((entry) => findChoices(entry, known).at(0));
	const [values, names] = (['value', 'name'] as const).map((attribute) =>
		entries.map((entry, index) => String(chosen[index]?.[attribute] ?? entry)),
	);
	// nobody can choose one choice twice
	const distinct = choices.length > 0 ? uniq(values) : values;
	return {
		form: JSON.stringify(distinct.sort()),
		spellings: [makeSpelling(values), makeSpelling(names)],
	};
}

/** The parts of texts between commas. */
function makeSpelling(texts: readonly string[]): string {
	const parts = texts.flatMap((text) => text.split(','));
	return parts.map(toCaseless).sort().join();
}
