import { memoize } from 'lodash';
import { isRecord } from '../records';
import { toComparable, toCaseless } from './names';

/** A choice that a field offers. */
export type Choice = { name: string; value: string | number };

/** Choices by their names and values, as these are compared. */
export type Choices = ReadonlyMap<string, Choice>;

/** The choices of a field, or none if one of them can't be read, because then any answer may be one. */
export function parseChoices(options: unknown): Choice[] {
	const choices = Array.isArray(options) ? (options as unknown[]).map(parseChoice) : [];
	return choices.every((choice) => choice !== undefined) ? choices : [];
}

function parseChoice(option: unknown): Choice | undefined {
	const [name, value] = isRecord(option)
		? [option.label ?? option.name ?? option.text, option.value ?? option.label ?? option.name]
		: [option, option];
	if (typeof value !== 'number' && typeof value !== 'string') return undefined;
	return { name: String(name ?? value), value };
}

/**
 * The choices by value and name. A text that is the value of one choice and the name of another means the
 * value; a text in the same case as a choice means that choice rather than one in another case.
 */
export const indexChoices = memoize((choices: readonly Choice[]): Choices => {
	const index = new Map<string, Choice>();
	const addAll = (makeKey: (choice: Choice) => string) => {
		for (const choice of choices) {
			const key = makeKey(choice);
			if (!index.has(key)) index.set(key, choice);
		}
	};
	addAll(({ value }) => toComparable(String(value)));
	addAll(({ name }) => toComparable(name));
	addAll(({ value }) => toCaseless(String(value)));
	addAll(({ name }) => toCaseless(name));
	return index;
});
// a form's fields are read once for all responses, which can be 100,000
indexChoices.cache = new WeakMap();

/** The choice that an answer stands for; undefined if the answer is none of the choices. */
export function findChoice(answer: unknown, choices: Choices): Choice | undefined {
	// services give a choice with its label and its value
	const parts = isRecord(answer) ? [answer.value, answer.label, answer.name] : [answer];
	return parts
		.filter((part) => ['string', 'number', 'boolean'].includes(typeof part))
		.map((part) => getChoice(String(part), choices))
		.find((choice) => choice !== undefined);
}

function getChoice(text: string, choices: Choices): Choice | undefined {
	return choices.get(toComparable(text)) ?? choices.get(toCaseless(text));
}

/**
 * Splits a text with commas between choices. A choice can have commas in its name: the longest choice that
 * fits is taken. Takes time linear in the length of the text, because a respondent may have chosen it.
 *
 * @returns the entries, trimmed, also those that are no choices
 */
export function splitChoices(text: string, choices: Choices): string[] {
	const longest = Math.max(1, ...[...choices.keys()].map((name) => name.split(',').length));
	const parts = text.split(',');
	const joinParts = (start: number, end: number) => parts.slice(start, end).join(',').trim();
	const entries: string[] = [];
	for (let start = 0, end = 0; start < parts.length; start = end) {
		end = Math.min(start + longest, parts.length);
		while (end > start + 1 && getChoice(joinParts(start, end), choices) === undefined) end--;
		entries.push(joinParts(start, end));
	}
	return entries.filter((entry) => entry !== '');
}
