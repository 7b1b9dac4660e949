import { isRecord } from '../records';
import type { Choice } from './inputFields';
import { comparable } from './labels';

/** The choices of a field by their names and values, as they are compared; a value goes before a name. */
export type Choices = ReadonlyMap<string, Choice>;

export function choicesByName(choices: readonly Choice[]): Choices {
	return new Map([
		...choices.map((choice) => [comparable(choice.name), choice] as const),
		...choices.map((choice) => [comparable(String(choice.value)), choice] as const),
	]);
}

/** The choice that an answer stands for; undefined if it is none. */
export function findChoice(answer: unknown, choices: Choices): Choice | undefined {
	// services give a choice with its label and its value
	const parts = isRecord(answer) ? [answer.value, answer.label, answer.name] : [answer];
	return parts
		.filter((part) => ['string', 'number', 'boolean'].includes(typeof part))
		.map((part) => choices.get(comparable(String(part))))
		.find((choice) => choice !== undefined);
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
	const entries: string[] = [];
	for (let start = 0; start < parts.length; ) {
		const count = countOf(parts, start, longest, choices);
		entries.push(
			parts
				.slice(start, start + count)
				.join(',')
				.trim(),
		);
		start += count;
	}
	return entries.filter((entry) => entry !== '');
}

/** How many parts the longest choice has that begins with a part; 1 if none does. */
function countOf(
	parts: readonly string[],
	start: number,
	longest: number,
	choices: Choices,
): number {
	for (let count = Math.min(longest, parts.length - start); count > 1; count--) {
		if (choices.has(comparable(parts.slice(start, start + count).join(',')))) return count;
	}
	return 1;
}
