import { isId, MAX_ID_LENGTH } from '../../api/ids';
import { isRecord } from '../../api/records';
import type { Input } from '../../routing/operation';
import { invalid } from './invalid';
import { DEFAULT_FILE_PREFIX, limitInput } from './properties';

/** Readers of parameters: each gives a checked value or throws an error that names the parameter. */

export function readFormId(input: Input): string {
	return readId(input, 'formId', 'Form', 'Choose a form from the list, or give its ID.');
}

export function readResponseId(input: Input): string {
	return readId(input, 'responseId', 'Response ID', 'Give the UUID of the response.');
}

function readId(input: Input, name: string, displayName: string, advice: string): string {
	const given = input.parameter(name, '');
	const id = typeof given === 'number' ? String(given) : given;
	const trimmed = typeof id === 'string' ? id.trim() : id;
	if (isId(trimmed)) return trimmed;
	const isMissing = trimmed === '' || trimmed === null || trimmed === undefined;
	throw invalid(
		input,
		isMissing ? `${displayName} is missing` : `${displayName} is not a valid ID`,
		`${advice} An ID has 1 to ${MAX_ID_LENGTH} letters, digits, hyphens and underscores.`,
	);
}

/** A boolean parameter; an expression may give it as text. */
export function readSwitch(
	input: Input,
	name: string,
	displayName: string,
	fallback: boolean,
): boolean {
	return toSwitch(input, input.parameter<unknown>(name, fallback), displayName);
}

function toSwitch(input: Input, value: unknown, displayName: string): boolean {
	if (value === true || value === 'true' || value === 1) return true;
	if (value === false || value === 'false' || value === 0) return false;
	throw invalid(input, `${displayName} must be true or false`);
}

/** A parameter that is one of a few words. */
export function readChoice<Choice extends string>(
	input: Input,
	name: string,
	displayName: string,
	choices: readonly [Choice, ...Choice[]],
): Choice {
	const given = input.parameter<unknown>(name, choices[0]);
	const choice = choices.find((candidate) => candidate === given);
	if (choice !== undefined) return choice;
	throw invalid(input, `${displayName} must be one of ${choices.join(', ')}`);
}

/** A text parameter that may not be empty. */
export function readText(
	input: Input,
	name: string,
	displayName: string,
	fallback: string,
): string {
	const text = toText(input, input.parameter<unknown>(name, fallback), displayName).trim();
	if (text !== '') return text;
	throw invalid(input, `${displayName} is missing`);
}

function toText(input: Input, value: unknown, displayName: string): string {
	if (typeof value === 'string') return value;
	if (typeof value === 'number') return String(value);
	throw invalid(input, `${displayName} must be text`);
}

/** A list of words; an expression may give it as text with commas. */
export function readWords(input: Input, name: string, displayName: string): string[] {
	const given = input.parameter<unknown>(name, []);
	const words: unknown = typeof given === 'string' ? given.split(',') : given;
	if (!Array.isArray(words)) throw invalid(input, `${displayName} must be a list`);
	return words
		.map((word: unknown) => toText(input, word, `Each entry of ${displayName}`).trim())
		.filter((word) => word !== '');
}

/** How many results to give at most; undefined for all. */
export function readLimit(input: Input): number | undefined {
	if (readSwitch(input, 'returnAll', 'Return All', false)) return undefined;
	const given = input.parameter<unknown>('limit', limitInput.default);
	const limit = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
	if (typeof limit === 'number' && Number.isSafeInteger(limit) && limit >= 1) return limit;
	throw invalid(input, 'Limit must be a whole number of at least 1');
}

/** Where the files of a response go: the start of the binary fields' names, undefined for nowhere. */
export function readFilePrefix(input: Input): string | undefined {
	const options = input.parameter<unknown>('options', {});
	const { downloadFiles = false, filePrefix = DEFAULT_FILE_PREFIX } = isRecord(options)
		? options
		: {};
	if (!toSwitch(input, downloadFiles, 'Download Files')) return undefined;
	return toText(input, filePrefix, 'File Field Prefix');
}

/** A JSON parameter, which n8n gives as text or, from an expression, as the object itself. */
export function readJsonObject(
	input: Input,
	name: string,
	displayName: string,
): Record<string, unknown> {
	const given = input.parameter<unknown>(name, '');
	const value = typeof given === 'string' ? parseJson(input, given, displayName) : given;
	if (isRecord(value)) return value;
	throw invalid(input, `${displayName} must be an object, such as {"key": "value"}`);
}

function parseJson(input: Input, text: string, displayName: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		const reason = error instanceof Error ? error.message : '';
		throw invalid(input, `${displayName} is not valid JSON`, reason);
	}
}
