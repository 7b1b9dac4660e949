import { isEmpty, sortBy, upperFirst } from 'lodash';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { isRecord } from '../../api/records';
import { normalizeText } from '../../api/text';
import { isBlank } from '../../api/values';
import { isExpression } from '../../parameters/locators';
import {
	createCombinedParameterError,
	createParameterError,
	INPUT_MODES,
	isLeftOut,
	isTool,
	readJsonObject,
	readSelectedOption,
	readText,
	readTextList,
	type ParameterContext,
} from '../../parameters/parameterContext';
import {
	describeAllowedValues,
	encodeSettings,
	findSetting,
	settings,
	type Setting,
	type SettingValues,
	type UncheckedSetting,
} from '../../settings/settings';

const sorted = sortBy(settings, ({ displayName }) => displayName.toLowerCase());

/** The parameters of the collection Settings, one for each setting. */
export const settingProperties: INodeProperties[] = sorted.map(createField);

/** The options for the settings that can be cleared. */
export const clearableSettings: INodePropertyOptions[] = sorted
	.filter(({ nullable }) => nullable)
	.map(({ displayName, name }) => ({ name: displayName, value: name }));

/**
 * Creates the parameter of a setting. The description has the allowed values, unless the parameter lists the
 * allowed values.
 *
 * The parameter starts empty, so adding the parameter changes nothing. For a boolean setting, the user chooses
 * Yes or No from a list, because a switch would have a value from the start.
 */
function createField(setting: Setting): INodeProperties {
	const { name, displayName } = setting;
	const field = { name, displayName, default: '' };
	const choices = listChoices(setting);
	if (choices.length > 0) {
		const unsorted = [...choices, { name: 'Leave Unchanged', value: '' }];
		const options = sortBy(unsorted, (option) => option.name.toLowerCase());
		return { ...field, type: 'options', options };
	}
	const isLong = setting.type === 'text' && (setting.maxLength ?? Infinity) > 255;
	return {
		...field,
		type: 'string',
		typeOptions: { rows: isLong ? 4 : 1 },
		description: upperFirst(describeAllowedValues(setting)),
	};
}

function listChoices(setting: Setting): INodePropertyOptions[] {
	if (setting.type === 'choice') {
		return Object.entries(setting.choices).map(([value, name]) => ({ name, value }));
	}
	const answers = [
		{ name: 'No', value: false },
		{ name: 'Yes', value: true },
	];
	return setting.type === 'boolean' ? answers : [];
}

/** Map Automatically never changes these settings, because such columns usually say which form a row is about. */
const IDENTIFYING_SETTINGS = ['name', 'description'];

/** The checked settings of an item. */
export type CheckedSettings = {
	/** The new values of settings: `{ is_closed: true }`. Can be empty. */
	body: SettingValues;
	/** With Map Automatically, the names of input fields that are not used as settings. */
	ignored: readonly string[];
};

/**
 * Reads and checks the settings that an item updates.
 *
 * @throws InputError that lists every invalid setting
 */
export function readSettings(input: ParameterContext): CheckedSettings {
	const mode = readSelectedOption(input, 'inputMode', INPUT_MODES, 'fields');
	if (mode === 'auto') return readFromInputItem(input);
	const settings = mode === 'json' ? readJson(input) : readFields(input);
	const given = settings.filter(({ value }) => !isLeftOut(input, value));
	const body = encodeOrThrow(input, given);
	// the `changes` of an earlier update are empty if the form was skipped
	const mayBeEmpty =
		mode === 'json' && !isTool(input.node) && isExpression(input.node, 'settingsJson');
	if (!isEmpty(body) || mayBeEmpty) return { body, ignored: [] };
	throw createParameterError(input, 'Add at least one setting, and enter its value');
}

/** Reads settings by name. Of the `changes` of an earlier update, takes the old values, to undo the update. */
function readJson(input: ParameterContext): UncheckedSetting[] {
	return Object.entries(readJsonObject(input, 'settingsJson')).map(([inputName, value]) => {
		if (isTool(input.node) || !isRecord(value) || !('to' in value)) return { inputName, value };
		// the service shows "" for a text that was never set, and null clears it
		return { inputName, value: value.from === '' ? null : value.from };
	});
}

function encodeOrThrow(
	input: ParameterContext,
	settings: readonly UncheckedSetting[],
): SettingValues {
	const { body, problems } = encodeSettings(settings);
	if (problems.length === 0) return body;
	throw createCombinedParameterError(input, problems, "settings can't be updated");
}

/** Reads the settings that the user added in the editor, and the settings to clear, by their displayed names. */
function readFields(input: ParameterContext): UncheckedSetting[] {
	const settings = input.parameter('settings', {});
	if (!isRecord(settings)) throw createParameterError(input, "'Settings' must be an object");
	const filled = Object.entries(settings).filter(([, value]) => value !== '');
	const cleared = readTextList(input, 'clear').map((name) => [name, null] as const);
	return [...filled, ...cleared].map(([name, value]) => {
		return { inputName: findSetting(name)?.displayName ?? name, value };
	});
}

/**
 * Reads the input fields that are named after settings, such as the columns of a sheet. An empty input field
 * leaves its setting unchanged.
 */
function readFromInputItem(input: ParameterContext): CheckedSettings {
	const clearText = normalizeText(readText(input, 'options.clearText'));
	const settings: UncheckedSetting[] = [];
	const ignored: string[] = [];
	for (const [inputName, value] of Object.entries(input.json)) {
		const name = findSetting(inputName)?.name;
		if (name === undefined || IDENTIFYING_SETTINGS.includes(name)) ignored.push(inputName);
		else settings.push({ inputName, value: readCell(value, clearText) });
	}
	if (settings.length > 0) return { body: encodeOrThrow(input, settings), ignored };
	const advice =
		"Name an input field after a setting, such as 'is_closed'. To change 'name' or 'description', set 'Specify Settings' to 'Using Fields Below'.";
	throw createParameterError(input, 'No input field matches a setting', advice);
}

/** Returns null for the text that clears a setting, and undefined for an empty cell. */
function readCell(value: unknown, clearText: string): unknown {
	if (isBlank(value)) return undefined;
	return typeof value === 'string' && normalizeText(value) === clearText ? null : value;
}
