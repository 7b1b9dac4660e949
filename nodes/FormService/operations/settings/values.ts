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

/** The names of parameters, as errors speak of them. */
export const SETTINGS_MODE = 'Specify Settings';
export const RENAME = 'Rename Forms';

type Values = Record<string, unknown>;

/**
 * Reads the settings to update of an item, by the service's names.
 *
 * @returns none where the item has keys of settings, but nothing in them
 * @throws NodeOperationError that names every setting that cannot be updated so
 */
export function readSettings(input: Input): Record<string, SettingValue> {
	const mode = readChoice(input, 'inputMode', SETTINGS_MODE, ['fields', 'auto', 'json']);
	if (mode === 'auto') return checked(input, fromItem(input), [], 'service');
	const body =
		mode === 'json'
			? checked(input, readJsonObject(input, 'settingsJson', 'Settings (JSON)'), [], 'service')
			: checked(input, fromFields(input), readWords(input, 'clear', 'Settings to Clear'), 'editor');
	if (Object.keys(body).length > 0) return body;
	throw invalidAll(input, ['There is no setting to update. Add at least one.']);
}

function checked(input: Input, values: Values, clear: readonly string[], naming: Naming) {
	const { body, problems } = checkSettings(values, clear, naming);
	const texts = problems.map(({ text }) => text);
	if (texts.length > 0) throw invalidAll(input, texts, "settings can't be updated");
	return body;
}

/** The collection's values. */
function fromFields(input: Input): Values {
	const given = input.parameter<unknown>('settings', {});
	if (!isRecord(given)) throw invalidAll(input, ["'Settings' must be an object."]);
	return numbersAsText(given);
}

/**
 * The keys of the input item that are the name of a setting, the service's or the editor's. An empty
 * cell leaves its setting as it is. A column "name" is common and says which form a row is about: it
 * renames the form only where the person wants it to.
 */
function fromItem(input: Input): Values {
	const renames = readSwitch(input, 'renameForms', RENAME, false);
	const entries = Object.entries(input.item.json).flatMap(([key, value]) => {
		const setting = settings.find(({ name, displayName }) =>
			[name, displayName].includes(key.trim()),
		);
		const counts = setting !== undefined && (setting.name !== 'name' || renames);
		return counts ? [{ key, name: setting.name, value }] : [];
	});
	if (entries.length === 0) {
		throw invalidAll(input, [
			`No key of the input item is the name of a setting. 'name' counts with '${RENAME}' only.`,
		]);
	}
	const given = entries.filter(
		({ value }) => value !== undefined && value !== null && String(value).trim() !== '',
	);
	const twice = given.find(({ name }, index) =>
		given.slice(0, index).some((before) => before.name === name),
	);
	if (twice !== undefined) {
		throw invalidAll(input, [
			`The input item gives '${twice.name}' twice, also as '${twice.key}'.`,
		]);
	}
	return numbersAsText(Object.fromEntries(given.map(({ name, value }) => [name, value])));
}

const textSettings = new Set(
	settings.filter(({ type }) => type === 'text').map(({ name }) => name),
);

/** A field or a cell of text stands for text also where a number came. */
function numbersAsText(values: Values): Values {
	return Object.fromEntries(
		Object.entries(values).map(([name, value]) => [
			name,
			textSettings.has(name) ? (numberAsText(value) ?? value) : value,
		]),
	);
}
