import { memoize } from 'lodash';
import type { GenericValue, IDataObject } from 'n8n-workflow';
import { isRecord, listEntries } from '../records';
import { indexNames } from './names';

/** A choice that a field offers. */
export type Choice = { name: string; value: string | number };

/** The choices of a field, or none if one of them can't be read, because then any answer may be one. */
export function parseChoices(options: unknown): Choice[] {
	const choices = (listEntries(options) ?? []).map(parseChoice);
	return choices.every((choice) => choice !== undefined) ? choices : [];
}

function parseChoice(option: unknown): Choice | undefined {
	const given: IDataObject = isRecord(option) ? option : { text: option as GenericValue };
	const { label, name, text, value = null } = given;
	const title = [label, name, text, value].find(isChoiceText);
	const own = value ?? title;
	return title !== undefined && isChoiceText(own) ? { name: String(title), value: own } : undefined;
}

function isChoiceText(value: unknown): value is string | number {
	return typeof value === 'number' || (typeof value === 'string' && value !== '');
}

/** A search for choices: a value is found before a name. */
const indexChoices = memoize((choices: readonly Choice[]) => {
	const named = (['value', 'name'] as const).flatMap((attribute) =>
		choices.map((choice) => [String(choice[attribute]), choice] as const),
	);
	const counts = named.map(([text]) => text.split(',').length);
	return { findByName: indexNames(named), mostParts: Math.max(1, ...counts) };
});
// a form's fields are read once for all responses, which can be 100,000
indexChoices.cache = new WeakMap();

/** The choice that an answer stands for: the one with its value, else the one with its name. */
export function findChoice(answer: unknown, choices: readonly Choice[]): Choice | undefined {
	// services give a choice with its label and its value
	const given = isRecord(answer) ? (answer.value ?? answer.label ?? answer.name) : answer;
	if (!['string', 'number', 'boolean'].includes(typeof given)) return undefined;
	return indexChoices(choices).findByName(String(given));
}

/**
 * Splits a text at commas into choices, the longer choice before the shorter one, because a choice can have
 * commas in its name. Takes time linear in the length of the text, which a respondent may have chosen.
 *
 * @returns undefined if a part is no choice
 */
export function splitChoices(text: string, choices: readonly Choice[]): string[] | undefined {
	const parts = text.split(',');
	const { mostParts } = indexChoices(choices);
	const entries: string[] = [];
	for (let start = 0; start < parts.length; ) {
		const candidates = parts.slice(start, start + mostParts);
		const joinFirst = (count: number) => candidates.slice(0, count).join(',').trim();
		let count = candidates.length;
		while (count > 0 && findChoice(joinFirst(count), choices) === undefined) count -= 1;
		if (count === 0) return undefined;
		entries.push(joinFirst(count));
		start += count;
	}
	return entries;
}
