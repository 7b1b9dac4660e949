import { isRecord } from '../../api/records';
import { checkSettings } from '../../api/settings/checkSettings';
import type { Naming, SettingValue } from '../../api/settings/checkSettings';
import { settings } from '../../api/settings/settings';
import type { Input } from '../../parameters/input';
import {
	invalidAll,
	numberAsText,
	readChoice,
	readJsonObject,
	readSwitch,
	readWords,
} from '../../parameters/input';
import { readColumns } from './columns';

/** The names of parameters, as errors speak of them. */
export const SETTINGS_MODE = 'Specify Settings';
export const RENAME = 'Rename Forms';
export const DESCRIBE = 'Update Descriptions';

type Values = Record<string, unknown>;

/** The settings to update of an item. */
export type GivenSettings = {
	/** By the service's names; empty if the item's input fields for settings are empty. */
	body: Record<string, SettingValue>;
	/** With Map Automatically: the input fields that are not used. */
	ignored?: string[];
};

/**
 * Reads the settings to update of an item.
 *
 * @throws NodeOperationError that names every setting that cannot be updated so
 */
export function readSettings(input: Input): GivenSettings {
	const mode = readChoice(input, 'inputMode', SETTINGS_MODE, ['fields', 'auto', 'json']);
	if (mode === 'auto') return fromItem(input);
	const body =
		mode === 'json'
			? checked(input, readJsonObject(input, 'settingsJson', 'Settings (JSON)'), [], 'service')
			: checked(input, fromFields(input), readWords(input, 'clear', 'Settings to Clear'), 'editor');
	if (Object.keys(body).length > 0) return { body };
	throw invalidAll(input, ['There is no setting to update. Add at least one.']);
}

function checked(
	input: Input,
	values: Values,
	clear: readonly string[],
	naming: Naming,
	others: readonly string[] = [],
) {
	const { body, problems } = checkSettings(values, clear, naming);
	const texts = [...others, ...problems.map(({ text }) => text)];
	if (texts.length > 0) throw invalidAll(input, texts, "settings can't be updated");
	return body;
}

/** The collection's values. A field that was added and left alone, and so is empty, changes nothing. */
function fromFields(input: Input): Values {
	const given = input.parameter<unknown>('settings', {});
	if (!isRecord(given)) throw invalidAll(input, ["'Settings' must be an object."]);
	const entries = Object.entries(given).filter(([, value]) => value !== '');
	return numbersAsText(Object.fromEntries(entries));
}

/**
 * The fields of the input item that match a setting. A sheet's columns "name" and "description" usually
 * say which form a row is about: they count only where the person wants it.
 */
function fromItem(input: Input): GivenSettings {
	const commonNames = {
		name: readSwitch(input, 'renameForms', RENAME, false),
		description: readSwitch(input, 'updateDescriptions', DESCRIBE, false),
	};
	const { values, titles, matched, ignored, problems } = readColumns(input.item.json, commonNames);
	const body = checked(input, numbersAsText(values), [], titles, problems);
	if (matched.length > 0) return { body, ignored };
	const switches = [
		["'name'", RENAME],
		["'description'", DESCRIBE],
	].filter(([name]) => ignored.some((title) => `'${title.trim().toLowerCase()}'` === name));
	const hints = switches.map(([name, title]) => ` To use ${name}, turn on '${title}'.`);
	throw invalidAll(input, [`No input field matches a setting.${hints.join('')}`]);
}

const textSettings = new Set(
	settings.filter(({ type }) => type === 'text').map(({ name }) => name),
);

/** A field or a cell for text takes a number as text. */
function numbersAsText(values: Values): Values {
	return Object.fromEntries(
		Object.entries(values).map(([name, value]) => [
			name,
			textSettings.has(name) ? (numberAsText(value) ?? value) : value,
		]),
	);
}
