import type { GenericValue, IDataObject } from 'n8n-workflow';
import { truncateText } from '../errorTexts';
import { findErrorValue } from '../errorValues';
import { numberAsText, parseBoolean, parseNumber } from '../parseValues';
import { toComparable } from '../spelling';
import { isWebUrl } from '../url';
import { describeAllowedValues, findSetting, type Setting } from './settings';

export type SettingValue = string | number | boolean | null;

/** Values of settings by the service's names, as they are sent. */
export type SettingValues = Record<string, SettingValue>;

/** A setting as a person gives it, by its name in the editor, a sheet or JSON. */
export type UncheckedSetting = { inputName: string; value: unknown };

/**
 * Checks an update of settings against their types and bounds (specification, section 2.5).
 *
 * @param uncheckedSettings where the value `undefined` leaves a setting unchanged, and `null` clears it
 * @returns the body to send if there are no problems, and all problems, in sentences
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

/** The value to send, or undefined if it breaks the setting's type or bound. A sheet's cell can have blanks around it. */
function encodeSetting(setting: Setting, value: unknown): SettingValue | undefined {
	if (value === null) return setting.nullable ? null : undefined;
	const text = numberAsText(value) ?? (typeof value === 'string' ? value : undefined);
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

/** In characters as a person counts them: an emoji outside the basic plane is one, not two. */
function fitsLength(text = '', maxLength = Infinity): boolean {
	return [...text].length <= maxLength;
}

/**
 * What an update changes in a form: the new value of each setting, and the form's own value, if its record
 * shows the setting.
 */
export type SettingChanges = Record<string, { from?: GenericValue; to: SettingValue }>;

/**
 * Compares an update with the record of a form. A setting that the record does not show counts as changed:
 * the specification leaves open which settings a record shows (section 2.2).
 */
export function compareSettings(body: Readonly<SettingValues>, form: IDataObject): SettingChanges {
	const changes: SettingChanges = {};
	for (const [name, to] of Object.entries(body)) {
		const from = form[name];
		if (!isSameSetting(from, to)) changes[name] = { from, to };
	}
	return changes;
}

/** A service may write booleans in several ways, and numbers as text. */
function isSameSetting(from: unknown, to: SettingValue): boolean {
	if (typeof to === 'boolean') return parseBoolean(from) === to;
	if (typeof to === 'number') return parseNumber(from) === to;
	return toStored(from) === toStored(to);
}

/**
 * Returns a text as services store it: without blanks at both ends, an empty text as null, with composed letters,
 * and with one way to end a line.
 */
export function toStored(value: unknown): unknown {
	const text = typeof value === 'number' ? String(value) : value;
	return typeof text === 'string' ? toComparable(text.replaceAll('\r\n', '\n')) || null : text;
}
