import { isEmpty } from 'lodash';
import { isBlank } from '../../answers/fieldKinds';
import { isRecord } from '../../api/records';
import { foldCase } from '../../api/spelling';
import { findSetting } from '../../settings/settings';
import { encodeSettings, type UncheckedSetting, type SettingValues } from '../../settings/values';
import { extractFormId } from '../../parameters/formId';
import {
	createParameterError,
	createCombinedParameterError,
	isAdded,
	readSelectedOption,
	readJsonObject,
	readText,
	readTextList,
	type ParameterContext,
} from '../../parameters/parameterContext';
import { INPUT_MODES } from '../../parameters/sharedProperties';

export const SETTINGS_MODE_DISPLAY_NAME = 'Specify Settings';

export const CLEAR_TEXT_DISPLAY_NAME = 'Text That Clears a Setting';

/**
 * The settings that Map Automatically never changes. A column named `name` or `description` usually says which
 * form a row is about.
 */
const IDENTIFYING_SETTINGS = ['name', 'description'];

/** The checked settings of an item. */
export type CheckedSettings = {
	/** The new values of settings: `{ is_closed: true }`. Empty if every input field for a setting is empty. */
	body: SettingValues;
	/** With Map Automatically, the names of input fields that are not used as settings. Empty in the other modes. */
	ignored: string[];
	/**
	 * The ignored names that the user probably meant as settings, such as "Closed mesage". Input fields without a
	 * value are left out, and so are input fields that identify the form or the row.
	 */
	unusedNames: string[];
};

/**
 * Reads and checks the settings that an item updates.
 *
 * @throws NodeOperationError that lists every invalid setting
 */
export function readSettings(input: ParameterContext, formId: string): CheckedSettings {
	const mode = readSelectedOption(input, 'inputMode', INPUT_MODES, 'fields');
	if (mode === 'auto') return readFromInputItem(input, formId);
	const uncheckedSettings =
		mode === 'json'
			? Object.entries(readJsonObject(input, 'settingsJson')).map(([inputName, value]) => ({
					inputName,
					value,
				}))
			: readFromFields(input);
	const isUsed = ({ value }: UncheckedSetting) => !input.isTool || !isModelNothing(value);
	const body = encodeOrThrow(input, uncheckedSettings.filter(isUsed));
	if (isEmpty(body))
		throw createParameterError(input, 'Add at least one setting, and enter its value');
	return { body, ignored: [], unusedNames: [] };
}

/**
 * Whether a model left a value out. A model that has no value for a parameter sends null, "null" or an empty
 * string.
 */
function isModelNothing(value: unknown): boolean {
	return isBlank(value) || value === 'null';
}

function encodeOrThrow(
	input: ParameterContext,
	uncheckedSettings: readonly UncheckedSetting[],
): SettingValues {
	const { body, problems } = encodeSettings(uncheckedSettings);
	if (problems.length > 0)
		throw createCombinedParameterError(input, problems, "settings can't be updated");
	return body;
}

/**
 * Reads the settings that the user added in the editor, and the settings to clear. A setting without a value is
 * left out.
 */
function readFromFields(input: ParameterContext): UncheckedSetting[] {
	const settings = input.parameter('settings', {});
	if (!isRecord(settings)) throw createParameterError(input, "'Settings' must be an object");
	const filled = Object.entries(settings).filter(([, value]) => value !== '');
	const cleared = readTextList(input, 'clear').map((name) => [name, null]);
	return [...filled, ...cleared].map(([name, value]) => {
		return { inputName: findSetting(String(name))?.displayName ?? String(name), value };
	});
}

/**
 * Reads the input fields that are named after settings, such as the columns of a sheet. An empty input field
 * leaves its setting unchanged.
 */
function readFromInputItem(input: ParameterContext, formId: string): CheckedSettings {
	const clearText = readClearText(input);
	const uncheckedSettings: UncheckedSetting[] = [];
	const ignored: string[] = [];
	const unusedNames: string[] = [];
	for (const [inputName, value] of Object.entries(input.item.json)) {
		const name = findSetting(inputName)?.name;
		if (name === undefined || IDENTIFYING_SETTINGS.includes(name)) {
			ignored.push(inputName);
			const isFormId = extractFormId(String(value)) === formId;
			const isExpected = name !== undefined || inputName === 'row_number' || isFormId;
			if (!isExpected && !isBlank(value)) unusedNames.push(inputName);
		} else {
			const isCleared = typeof value === 'string' && foldCase(value) === clearText;
			const setValue = isBlank(value) ? undefined : value;
			uncheckedSettings.push({ inputName, value: isCleared ? null : setValue });
		}
	}
	if (uncheckedSettings.length > 0)
		return { body: encodeOrThrow(input, uncheckedSettings), ignored, unusedNames };
	const advice = `Name an input field after a setting, such as 'is_closed'. To change 'name' or 'description', set '${SETTINGS_MODE_DISPLAY_NAME}' to '${INPUT_MODES.fields}'.`;
	throw createParameterError(input, 'No input field matches a setting', advice);
}

/**
 * Returns the value of the option Text That Clears a Setting, in uppercase: `"(EMPTY)"`. Undefined if the user
 * has not added the option.
 */
function readClearText(input: ParameterContext): string | undefined {
	if (!isAdded(input, 'options.clearText')) return undefined;
	const text = foldCase(readText(input, 'options.clearText'));
	if (text !== '') return text;
	throw createParameterError(
		input,
		`'${CLEAR_TEXT_DISPLAY_NAME}' is empty`,
		'Enter a text, or remove the option.',
	);
}
