import { isEmpty } from 'lodash';
import { isNothing } from '../../api/answers/kinds';
import { isRecord } from '../../api/records';
import { findSetting } from '../../api/settings/settings';
import { encodeSettings } from '../../api/settings/update';
import type { GivenSetting, SettingValues } from '../../api/settings/update';
import type { Input } from '../../parameters/input';
import {
	invalid,
	invalidAll,
	readChoice,
	readJsonObject,
	readWords,
	readSwitch,
} from '../../parameters/input';
import { INPUT_MODES } from '../../parameters/properties';

/** The names of parameters, as errors speak of them. */
export const SETTINGS_MODE = 'Specify Settings';
export const RENAME = 'Rename Forms';
export const DESCRIBE = 'Update Descriptions';

/** The settings to update of an item. */
export type GivenSettings = {
	/** By the service's names; empty if the item's input fields for settings are empty. */
	body: SettingValues;
	/** With Map Automatically: the input fields that are not used. */
	ignored: string[];
};

/**
 * Reads the settings to update of an item.
 *
 * @throws NodeOperationError that names every invalid setting
 */
export function readSettings(input: Input): GivenSettings {
	const mode = readChoice(input, 'inputMode', SETTINGS_MODE, INPUT_MODES);
	if (mode === 'auto') return readFromItem(input);
	const given = mode === 'json' ? readFromJson(input) : readFromFields(input);
	const body = encode(input, given);
	if (isEmpty(body)) throw invalid(input, 'Add at least one setting, and enter its value');
	return { body, ignored: [] };
}

function encode(input: Input, given: readonly GivenSetting[]): SettingValues {
	const { body, problems } = encodeSettings(given);
	if (problems.length > 0) throw invalidAll(input, problems, "settings can't be updated");
	return body;
}

function readFromJson(input: Input): GivenSetting[] {
	const given = readJsonObject(input, 'settingsJson', 'Settings (JSON)');
	return Object.entries(given).map(([title, value]) => ({ title, value }));
}

/** The values of the collection. A field that was added and left empty changes nothing. */
function readFromFields(input: Input): GivenSetting[] {
	const given = input.parameter('settings', {});
	if (!isRecord(given)) throw invalid(input, "'Settings' must be an object");
	const filled = Object.entries(given).filter(([, value]) => value !== '');
	const cleared = readWords(input, 'clear', 'Settings to Clear').map((name) => [name, null]);
	return [...filled, ...cleared].map(([name, value]) => {
		return { title: findSetting(String(name))?.displayName ?? String(name), value };
	});
}

/**
 * The fields of the input item that match a setting, such as the columns of a sheet. An empty field leaves
 * its setting unchanged. Columns called "name" and "description" usually identify the form, so they count
 * only with their switches.
 */
function readFromItem(input: Input): GivenSettings {
	const switches: Record<string, boolean> = {
		name: readSwitch(input, 'options.renameForms', RENAME, false),
		description: readSwitch(input, 'options.updateDescriptions', DESCRIBE, false),
	};
	const given: GivenSetting[] = [];
	const ignored: string[] = [];
	for (const [title, value] of Object.entries(input.item.json)) {
		const name = findSetting(title)?.name;
		if (name === undefined || switches[name] === false) ignored.push(title);
		else given.push({ title, value: isNothing(value) ? undefined : value });
	}
	if (given.length === 0) {
		const advice = `Name an input field after a setting, such as 'is_closed'. To use 'name' or 'description', add '${RENAME}' or '${DESCRIBE}' in the options.`;
		throw invalid(input, 'No input field matches a setting', advice);
	}
	return { body: encode(input, given), ignored };
}
