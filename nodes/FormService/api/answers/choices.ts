import { memoize } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { isRecord, listEntries } from '../records';
import { toComparable, toCaseless } from './names';

/** A choice that a field offers. */
export type Choice = { name: string; value: string | number };

/** The choices that a text can stand for, by its spelling. */
export type Choices = {
	exact: ReadonlyMap<string, readonly Choice[]>;
	caseless: ReadonlyMap<string, readonly Choice[]>;
	/** The most parts between commas that a value or a name has. */
	mostParts: number;
};

/** The choices of a field, or none if one of them can't be read, because then any answer may be one. */
export function parseChoices(options: unknown): Choice[] {
	const choices = listOptions(options).map(parseChoice);
	return choices.every((choice) => choice !== undefined) ? choices : [];
}

/** The entries of a list of choices, which a form can send as a text with a line for each. */
export function listOptions(options: unknown): unknown[] {
	if (typeof options === 'string' && /[\r\n]/.test(options)) {
		return options.split(/[\r\n]+/).flatMap((line) => line.trim() || []);
	}
	return listEntries(options) ?? [];
}

function parseChoice(option: unknown): Choice | undefined {
	const given = (isRecord(option) ? option : { text: option }) as IDataObject;
	const { value, label, name, text } = given;
	const [title] = [label, name, text, value].filter(isChoiceText);
	const [own] = [value ?? title].filter(isChoiceText);
	return own === undefined ? undefined : { name: String(title), value: own };
}

function isChoiceText(value: unknown): value is string | number {
	return typeof value === 'number' || (typeof value === 'string' && value !== '');
}

/** The choices by value and name. Of the choices with one spelling, the one with the value is first. */
export const indexChoices = memoize((choices: readonly Choice[]): Choices => {
	const [exact, caseless] = [new Map<string, Choice[]>(), new Map<string, Choice[]>()];
	const addChoice = (index: Map<string, Choice[]>, key: string, choice: Choice) => {
		const same = index.get(key) ?? [];
		if (!same.some(({ value }) => String(value) === String(choice.value))) same.push(choice);
		index.set(key, same);
	};
	for (const attribute of ['value', 'name'] as const) {
		for (const choice of choices) {
			addChoice(exact, toComparable(String(choice[attribute])), choice);
			addChoice(caseless, toCaseless(String(choice[attribute])), choice);
		}
	}
	const mostParts = Math.max(1, ...[...exact.keys()].map((text) => text.split(',').length));
	return { exact, caseless, mostParts };
});
// a form's fields are read once for all responses, which can be 100,000
indexChoices.cache = new WeakMap();

/** The choices that an answer can stand for. Those in the same case go before those in another case. */
export function findChoices(answer: unknown, { exact, caseless }: Choices): readonly Choice[] {
	// services give a choice with its label and its value
	const given = isRecord(answer) ? (answer.value ?? answer.label ?? answer.name) : answer;
	if (!['string', 'number', 'boolean'].includes(typeof given)) return [];
	const text = String(given);
	return exact.get(toComparable(text)) ?? caseless.get(toCaseless(text)) ?? [];
}

/**
 * Splits a text with commas into choices. A choice can have commas in its name. Takes time linear in the
 * length of the text, because a respondent may have chosen it.
 *
 * @returns the entries in one of the ways in which they are all choices, the longer choice before the shorter
 * one; `ways` is 0, 1, or 2 for several
 */
export function splitChoices(text: string, choices: Choices): { ways: number; entries: string[] } {
	const parts = text.split(',');
	const joinParts = (start: number, end: number) => parts.slice(start, end).join(',').trim();
	// of the parts from each index on
	const ways = [...parts.map(() => 0), 1];
	const ends: number[] = [];
	for (let start = parts.length - 1; start >= 0; start--) {
		for (let end = Math.min(start + choices.mostParts, parts.length); end > start; end--) {
			if (ways[end] === 0) continue;
			const entry = joinParts(start, end);
			const count = entry === '' && choices.exact.size > 0 ? 1 : findChoices(entry, choices).length;
			if (count > 0) ends[start] ??= end;
			ways[start] = Math.min(2, ways[start] + count * ways[end]);
		}
	}
	const entries: string[] = [];
	for (let start = 0; ways[0] > 0 && start < parts.length; start = ends[start]) {
		entries.push(joinParts(start, ends[start]));
	}
	return { ways: ways[0], entries: entries.filter((entry) => entry !== '') };
}
