import { readBoolean } from '../readers';
import { boundOf, settings } from './settings';
import type { Setting } from './settings';
import { isWebUrl } from '../url';

export type SettingValue = string | number | boolean | null;

export type Checked = {
	/** What to send, by the service's names. */
	body: Record<string, SettingValue>;
	/** All that is wrong; the body is to be sent only when this is empty. */
	problems: Problem[];
};

/** What is wrong with one setting, in a sentence that names it and its bound. */
export type Problem = { setting: string; text: string };

/**
 * How a person has named the settings: as the editor does, as the service does in JSON, or as the columns
 * of a sheet do, by the service's names.
 */
export type Naming = 'editor' | 'service' | ReadonlyMap<string, string>;

const byName = new Map(settings.map((setting) => [setting.name, setting]));

/**
 * Checks an update of settings against their types and bounds (specification, section 2.5).
 *
 * @param values by the service's names; `undefined` leaves a setting as it is, `null` clears it
 * @param clear names of the settings to clear
 */
export function checkSettings(
	values: Record<string, unknown>,
	clear: readonly string[] = [],
	naming: Naming = 'service',
): Checked {
	const given = Object.entries(values).filter(([, value]) => value !== undefined);
	const cleared = [...new Set(clear)].map((name): [string, unknown] => [name, null]);
	const both = given.map(([name]) => name).filter((name) => clear.includes(name));

	const body: Array<[string, SettingValue]> = [];
	const problems = both.map((name) => ({
		setting: name,
		text: `'${titleOf(name, naming)}' is both set and cleared. Do one or the other.`,
	}));
	for (const [name, value] of [...given, ...cleared]) {
		if (both.includes(name)) continue;
		const result = checkSetting(name, value, naming);
		if (typeof result === 'object') body.push([name, result.value]);
		else problems.push({ setting: name, text: result });
	}
	return { body: Object.fromEntries(body), problems };
}

/** The value as it is sent, or what is wrong with it. */
function checkSetting(
	name: string,
	value: unknown,
	naming: Naming,
): { value: SettingValue } | string {
	const setting = byName.get(name);
	if (setting === undefined) return `'${name}' is not a setting that can be updated.`;
	if (value === null && setting.nullable) return { value };
	const accepted = value === null ? undefined : accept(setting, value);
	if (accepted !== undefined) return { value: accepted };
	const orNull = setting.nullable && naming === 'service' ? ', or null' : '';
	return `'${titleOf(name, naming)}' must be ${boundOf(setting)}${orNull} (got ${describe(value)}).${clearing(setting, value, naming)}`;
}

/** The value as it is sent, or undefined when it breaks the setting's type or bound. */
function accept(setting: Setting, value: unknown): string | number | boolean | undefined {
	switch (setting.type) {
		case 'boolean':
			return readBoolean(value);
		case 'text':
			return asText(value, setting);
		case 'url':
			return isWebUrl(value) && isWithin(value, setting.maxLength) ? value : undefined;
		case 'integer': {
			const integer = asInteger(value);
			const { min, max = Number.MAX_SAFE_INTEGER } = setting;
			return integer !== undefined && integer >= min && integer <= max ? integer : undefined;
		}
		case 'choice':
			return setting.choices.find(
				(choice) => typeof value === 'string' && choice === value.trim().toLowerCase(),
			);
	}
}

function asText(value: unknown, { maxLength, required }: Setting & { type: 'text' }) {
	if (typeof value !== 'string') return undefined;
	const text = required ? value.trim() : value;
	return isWithin(text, maxLength) && !(required && text === '') ? text : undefined;
}

function asInteger(value: unknown): number | undefined {
	const number =
		typeof value === 'string' && /^[+-]?\d+$/.test(value.trim()) ? Number(value) : value;
	return Number.isSafeInteger(number) ? (number as number) : undefined;
}

function isWithin(value: string, maxLength = Infinity): boolean {
	return lengthOf(value) <= maxLength;
}

/** In characters as a person counts them: an emoji outside the basic plane is one, not two. */
function lengthOf(value: string): number {
	return [...value].length;
}

function titleOf(name: string, naming: Naming): string {
	if (naming === 'service') return name;
	return (naming === 'editor' ? byName.get(name)?.displayName : naming.get(name)) ?? name;
}

/** How to clear a setting, said of an empty text, which is usually meant so. */
function clearing({ nullable }: Setting, value: unknown, naming: Naming): string {
	if (!nullable || value !== '' || naming !== 'service') return '';
	return ' To clear it, enter null.';
}

const MAX_SHOWN_LENGTH = 40;

function describe(value: unknown): string {
	if (value === null) return 'null';
	if (Array.isArray(value)) return 'a list';
	if (typeof value === 'object') return 'an object';
	if (typeof value !== 'string') return String(value);
	if (value === '') return 'empty text';
	const length = lengthOf(value);
	return length <= MAX_SHOWN_LENGTH ? `"${value}"` : `text of ${length} characters`;
}
