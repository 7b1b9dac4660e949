import type { GenericValue, IDataObject } from 'n8n-workflow';
import { truncateText } from '../errorTexts';
import { findErrorValue } from '../errorValues';
import { formatNumber, parseBoolean, parseNumber } from '../parseValues';
import { toComparable } from '../spelling';
import { isWebUrl } from '../url';
import { describeAllowedValues, findSetting, type Setting } from './settings';

export type SettingValue = string | number | boolean | null;

/** The values to send, by the service's names of the settings. */
export type SettingValues = Record<string, SettingValue>;

/** An unchecked setting, by its name in the editor, a sheet or JSON: `{ inputName: "Closed", value: "yes" }`. */
export type UncheckedSetting = { inputName: string; value: unknown };

/**
 * Encodes an update of settings, and checks it against their types and bounds (specification, section 2.5).
 *
 * @param uncheckedSettings `undefined` leaves a setting unchanged, `null` clears it
 * @returns the body to send if there are no problems, and all problems, as sentences
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
	// an empty text is usually meant to clear the setting
	const advice = setting.nullable && value === '' ? ' To clear it, enter null.' : '';
	const quote = typeof value === 'object' && value !== null ? 'an object' : JSON.stringify(value);
	const allowed = setting.type === 'boolean' ? 'yes or no' : describeAllowedValues(setting);
	return `'${inputName}' must be ${allowed} (got ${truncateText(quote, 40)}).${advice}`;
}

/**
 * Encodes a value. Undefined if the value breaks the type or bound of the setting. Blanks around a value are
 * removed, except from optional texts, because a sheet's cell can have them.
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

/** Whether a text is short enough. Counts characters as users do: an emoji is one character, not two. */
function fitsLength(text = '', maxLength = Infinity): boolean {
	return [...text].length <= maxLength;
}

/**
 * The changes of an update: the new value of each setting, and its present value if the form's record has the
 * setting. `{ is_closed: { from: false, to: true } }`
 */
export type SettingChanges = Record<string, { from?: GenericValue; to: SettingValue }>;

/**
 * Compares an update with the record of a form. A setting that the record lacks counts as changed, because the
 * specification does not list the settings of a record (section 2.2).
 */
export function compareSettings(body: Readonly<SettingValues>, form: IDataObject): SettingChanges {
	const changes: SettingChanges = {};
	for (const [name, to] of Object.entries(body)) {
		const from = form[name];
		if (!isSameSetting(from, to)) changes[name] = { from, to };
	}
	return changes;
}

/** Whether two values of a setting are equal. A service may write booleans in several ways, and numbers as texts. */
function isSameSetting(from: unknown, to: SettingValue): boolean {
	if (typeof to === 'boolean') return parseBoolean(from) === to;
	if (typeof to === 'number') return parseNumber(from) === to;
	return toStored(from) === toStored(to);
}

/**
 * Converts a value to its stored form: a text without blanks at both ends, with composed letters and `\n` as
 * line ends; null for an empty text.
 */
export function toStored(value: unknown): unknown {
	const text = typeof value === 'number' ? String(value) : value;
	return typeof text === 'string' ? toComparable(text.replaceAll('\r\n', '\n')) || null : text;
}
