import type { GenericValue, IDataObject } from 'n8n-workflow';
import { readBoolean } from '../readers';
import { isWebUrl } from '../url';
import { describeBound, settings } from './settings';
import type { Setting } from './settings';

export type SettingValue = string | number | boolean | null;

/** Values of settings by the service's names, as they are sent. */
export type SettingValues = Record<string, SettingValue>;

/** What is wrong with one setting, in a sentence that names it and its bound. */
export type Problem = { setting: string; text: string };

const byName = new Map(settings.map((setting) => [setting.name, setting]));

/**
 * Checks an update of settings against their types and bounds (specification, section 2.5).
 *
 * @param values by the service's names; `undefined` leaves a setting as it is, `null` clears it
 * @param titles the names of the editor or of a sheet's columns; left out if the service's names were given
 * @returns the body to send if there are no problems, and all problems
 */
export function checkSettings(
	values: Record<string, unknown>,
	titles?: ReadonlyMap<string, string>,
): { body: SettingValues; problems: Problem[] } {
	const body: SettingValues = {};
	const problems: Problem[] = [];
	for (const [name, value] of Object.entries(values)) {
		if (value === undefined) continue;
		const setting = byName.get(name);
		const accepted = setting && encodeSetting(setting, value);
		if (accepted !== undefined) body[name] = accepted;
		else problems.push({ setting: name, text: describeProblem(name, value, setting, titles) });
	}
	return { body, problems };
}

function describeProblem(
	name: string,
	value: unknown,
	setting: Setting | undefined,
	titles: ReadonlyMap<string, string> | undefined,
): string {
	if (setting === undefined) return `'${name}' is not a setting that can be updated.`;
	// the editor clears settings by a list of their names
	const takesNull = setting.nullable && titles === undefined;
	const bound = `${describeBound(setting)}${takesNull ? ', or null' : ''}`;
	// an empty text is usually meant to clear the setting
	const advice = takesNull && value === '' ? ' To clear it, enter null.' : '';
	return `'${titles?.get(name) ?? name}' must be ${bound} (got ${describeValue(value)}).${advice}`;
}

/** The value to send, or undefined if it breaks the setting's type or bound. A sheet's cell can have blanks around it. */
function encodeSetting(setting: Setting, value: unknown): SettingValue | undefined {
	if (value === null) return setting.nullable ? null : undefined;
	const trimmed = typeof value === 'string' ? value.trim() : value;
	switch (setting.type) {
		case 'boolean':
			return readBoolean(value);
		case 'text': {
			const text = setting.required ? trimmed : value;
			const isEmpty = setting.required && text === '';
			return isShortText(text, setting.maxLength) && !isEmpty ? text : undefined;
		}
		case 'url':
			return isWebUrl(trimmed) && isShortText(trimmed, setting.maxLength) ? trimmed : undefined;
		case 'integer': {
			const isWhole = typeof trimmed === 'string' && /^[+-]?\d+$/.test(trimmed);
			const integer = isWhole ? Number(trimmed) : trimmed;
			const { min, max = Number.MAX_SAFE_INTEGER } = setting;
			if (typeof integer !== 'number' || !Number.isSafeInteger(integer)) return undefined;
			return integer >= min && integer <= max ? integer : undefined;
		}
		case 'choice':
			return setting.choices.find((choice) => choice === String(trimmed).toLowerCase());
	}
}

function isShortText(value: unknown, maxLength = Infinity): value is string {
	return typeof value === 'string' && countCharacters(value) <= maxLength;
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
	const entries = Object.entries(body);
	const changed = entries.filter(
		([name, to]) => Object.hasOwn(form, name) && !isSameSetting(form[name], to),
	);
	return {
		changes: Object.fromEntries(changed.map(([name, to]) => [name, { from: form[name], to }])),
		unknown: Object.fromEntries(entries.filter(([name]) => !Object.hasOwn(form, name))),
	};
}

/** A service may write booleans in several ways, numbers as text, and ends of lines in either way. */
function isSameSetting(from: unknown, to: SettingValue): boolean {
	if (typeof to === 'boolean') return readBoolean(from) === to;
	if (typeof to === 'number') return String(from) === String(to);
	const [one, other] = [from, to].map((value) =>
		typeof value === 'string' ? value.replaceAll('\r\n', '\n') : value,
	);
	return one === other;
}
