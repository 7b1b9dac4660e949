import { inRange, partition } from 'lodash';
import type { GenericValue, IDataObject } from 'n8n-workflow';
import { numberAsText, readBoolean, readNumber } from '../readers';
import { isWebUrl } from '../url';
import { describeBound, findNearestSetting, findSetting } from './settings';
import type { Setting } from './settings';

export type SettingValue = string | number | boolean | null;

/** Values of settings by the service's names, as they are sent. */
export type SettingValues = Record<string, SettingValue>;

/** A setting as a person gives it, by its name in the editor, a sheet or JSON. */
export type GivenSetting = {
	title: string;
	value: unknown;
	/** Whether the value stands for `null`. */
	clears?: boolean;
};

/**
 * Checks an update of settings against their types and bounds (specification, section 2.5).
 *
 * @param given where the value `undefined` leaves a setting as it is, and `null` clears it
 * @returns the body to send if there are no problems, and all problems, in sentences
 */
export function encodeSettings(given: readonly GivenSetting[]): {
	body: SettingValues;
	problems: string[];
} {
	const body: SettingValues = {};
	const problems: string[] = [];
	const titles = new Map<string, string>();
	for (const { title, value, clears = false } of given) {
		if (value === undefined) continue;
		const setting = findSetting(title);
		const { name = '' } = setting ?? {};
		const encoded = setting && encodeSetting(setting, clears ? null : value);
		const first = titles.get(name);
		if (setting === undefined) problems.push(describeUnknown(title));
		else if (encoded === undefined) problems.push(describeProblem(setting, title, value, clears));
		else if (first !== undefined) problems.push(describeTwice(first, title));
		else {
			titles.set(name, title);
			body[name] = encoded;
		}
	}
	return { body, problems };
}

function describeUnknown(title: string): string {
	const nearest = findNearestSetting(title);
	const question = nearest === undefined ? '' : ` Did you mean '${nearest.name}'?`;
	return `'${title}' is not a setting that can be updated.${question}`;
}

function describeTwice(first: string, second: string): string {
	const what = first === second ? 'is given twice' : `and '${second}' match the same setting`;
	return `'${first}' ${what}. Remove or empty one of them.`;
}

function describeProblem(setting: Setting, title: string, value: unknown, clears: boolean): string {
	// an empty text is usually meant to clear the setting
	const advice = setting.nullable && value === '' ? ' To clear it, enter null.' : '';
	const note = clears ? " It can't be cleared." : advice;
	return `'${title}' must be ${describeBound(setting)} (got ${describeValue(value)}).${note}`;
}

/** The value to send, or undefined if it breaks the setting's type or bound. A sheet's cell can have blanks around it. */
function encodeSetting(setting: Setting, value: unknown): SettingValue | undefined {
	if (value === null) return setting.nullable ? null : undefined;
	const trimmed = typeof value === 'string' ? value.trim() : value;
	switch (setting.type) {
		case 'boolean':
			return readBoolean(value);
		case 'text': {
			const text = numberAsText(value) ?? (setting.required ? trimmed : value);
			return fitsLength(text, setting.maxLength, setting.required ? 1 : 0) ? text : undefined;
		}
		case 'url':
			return isWebUrl(trimmed) && fitsLength(trimmed, setting.maxLength) ? trimmed : undefined;
		case 'integer': {
			const integer = readNumber(value) ?? NaN;
			const { min, max = Number.MAX_SAFE_INTEGER } = setting;
			return Number.isInteger(integer) && inRange(integer, min, max + 1) ? integer : undefined;
		}
		case 'choice':
			return setting.choices.find((choice) => choice === String(trimmed).toLowerCase());
	}
}

function fitsLength(value: unknown, max = Infinity, min = 0): value is string {
	return typeof value === 'string' && inRange(countCharacters(value), min, max + 1);
}

/** In characters as a person counts them: an emoji outside the basic plane is one, not two. */
function countCharacters(value: string): number {
	return [...value].length;
}

const MAX_SHOWN_LENGTH = 40;

function describeValue(value: unknown): string {
	if (value === null) return 'null';
	if (Array.isArray(value)) return 'a list';
	if (typeof value === 'object') return 'an object';
	if (typeof value !== 'string') return String(value);
	if (value === '') return 'empty text';
	const length = countCharacters(value);
	return length <= MAX_SHOWN_LENGTH ? `"${value}"` : `text of ${length} characters`;
}

/** What an update changes in a form, as far as the form's record shows. */
export type Changes = {
	/** The settings that get another value; `from` is what the form has. */
	changes: Record<string, { from: GenericValue; to: SettingValue }>;
	/** The settings that the record does not show: whether they change cannot be known. */
	unknown: SettingValues;
};

/**
 * Compares an update with the record of a form. The specification leaves open which settings a record
 * shows (section 2.2).
 */
export function compareSettings(body: Readonly<SettingValues>, form: IDataObject): Changes {
	const [shown, others] = partition(Object.entries(body), ([name]) => Object.hasOwn(form, name));
	const changed = shown
		.map(([name, to]) => [name, { from: form[name], to }] as const)
		.filter(([, { from, to }]) => !isSameSetting(from, to));
	return { changes: Object.fromEntries(changed), unknown: Object.fromEntries(others) };
}

/** A service may write booleans in several ways, numbers as text, and ends of lines in either way. */
function isSameSetting(from: unknown, to: SettingValue): boolean {
	if (typeof to === 'boolean') return readBoolean(from) === to;
	if (typeof to === 'number') return String(from) === String(to);
	const text = typeof from === 'string' ? from.replaceAll('\r\n', '\n') : from;
	return text === (to?.replaceAll('\r\n', '\n') ?? to);
}
