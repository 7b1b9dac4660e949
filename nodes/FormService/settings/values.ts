import type { GenericValue, IDataObject } from 'n8n-workflow';
import { truncateText } from '../api/errorTexts';
import { isWebUrl } from '../api/url';
import { findErrorValue, formatNumber, parseBoolean, parseNumber } from '../api/values';
import { describeAllowedValues, findSetting, type Setting } from './settings';

export type SettingValue = string | number | boolean | null;

/** The values that will be sent, by the service's names of the settings: `{ is_closed: true }`. */
export type SettingValues = Record<string, SettingValue>;

/** A setting before its check, with the name that the user wrote: `{ inputName: "Closed", value: "yes" }`. */
export type UncheckedSetting = { inputName: string; value: unknown };

/**
 * Checks the settings of an update against their types and limits, and encodes the values. A value of `undefined`
 * leaves a setting unchanged, `null` clears it. `problems` has a sentence for each value that cannot be sent.
 */
export function encodeSettings(uncheckedSettings: readonly UncheckedSetting[]): {
	body: SettingValues;
	problems: string[];
} {
	const body: SettingValues = {};
	const problems: string[] = [];
	for (const { inputName, value } of uncheckedSettings) {
		if (value === undefined) continue;
		const setting = findSetting(inputName);
		const encoded = setting && encodeSetting(setting, value);
		const errorValue = findErrorValue(value);
		if (errorValue !== undefined)
			problems.push(`'${inputName}' has the error value ${errorValue}.`);
		else if (setting === undefined)
			problems.push(`'${inputName}' is not a setting that can be updated.`);
		else if (encoded === undefined) problems.push(describeProblem(setting, inputName, value));
		else if (!(setting.name in body)) body[setting.name] = encoded;
		else {
			const advice = 'Remove or empty one of them.';
			problems.push(`'${inputName}' is the second value for '${setting.displayName}'. ${advice}`);
		}
	}
	return { body, problems };
}

function describeProblem(setting: Setting, inputName: string, value: unknown): string {
	// a user who enters an empty string usually wants to clear the setting
	const advice = setting.nullable && value === '' ? ' To clear it, enter null.' : '';
	const digits = setting.type === 'integer' ? ' in plain digits' : '';
	const quote = typeof value === 'object' && value !== null ? 'an object' : JSON.stringify(value);
	const allowed = setting.type === 'boolean' ? 'yes or no' : describeAllowedValues(setting);
	return `'${inputName}' must be ${allowed}${digits} (got ${truncateText(quote, 40)}).${advice}`;
}

/**
 * Encodes the value of a setting. Undefined if the value does not fit the type or the limits of the setting. Only
 * the value of an optional text setting keeps its surrounding whitespace.
 */
function encodeSetting(setting: Setting, value: unknown): SettingValue | undefined {
	if (value === null) return setting.nullable ? null : undefined;
	const text = formatNumber(value) ?? (typeof value === 'string' ? value : undefined);
	const trimmed = text?.trim();
	switch (setting.type) {
		case 'boolean':
			return parseBoolean(value);
		case 'text': {
			const sent = setting.required ? trimmed || undefined : text;
			return fitsLength(sent, setting.maxLength) ? sent : undefined;
		}
		case 'url':
			return isWebUrl(trimmed) && fitsLength(trimmed, setting.maxLength) ? trimmed : undefined;
		case 'integer': {
			const { min, max = Number.MAX_SAFE_INTEGER } = setting;
			const integer = parseNumber(value) ?? NaN;
			return Number.isInteger(integer) && integer >= min && integer <= max ? integer : undefined;
		}
		case 'choice':
			return Object.keys(setting.choices).find((choice) => choice === trimmed?.toLowerCase());
	}
}

/** Whether a text has at most `maxLength` characters. Counts an emoji as one character, as users do. */
function fitsLength(text = '', maxLength = Infinity): boolean {
	return [...text].length <= maxLength;
}

/** The changes of an update: `{ is_closed: { from: false, to: true } }`. Without a known value, no `from`. */
export type SettingChanges = Record<string, { from?: GenericValue; to: SettingValue }>;

/**
 * Returns the settings of an update whose values differ from the record of the form. A setting that the record
 * lacks counts as changed.
 */
export function compareSettings(body: Readonly<SettingValues>, form: IDataObject): SettingChanges {
	const changes: SettingChanges = {};
	for (const [name, to] of Object.entries(body)) {
		const from = form[name];
		if (!isSameSetting(from, to)) changes[name] = { from, to };
	}
	return changes;
}

/** Whether a record already has the value of an update. A boolean may be listed as 0 or 1, a number as text. */
function isSameSetting(from: unknown, to: SettingValue): boolean {
	if (typeof to === 'boolean') return parseBoolean(from) === to;
	if (typeof to === 'number') return parseNumber(from) === to;
	return toStoredValue(from) === toStoredValue(to);
}

/** Converts a value to the form in which the service may store it: trimmed, composed, and "" as null. */
export function toStoredValue(value: unknown): unknown {
	const text = typeof value === 'number' ? String(value) : value;
	if (typeof text !== 'string') return text;
	return text.replaceAll('\r\n', '\n').normalize('NFC').trim() || null;
}
