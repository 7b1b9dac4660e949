import { isEmpty, sortBy, upperFirst } from 'lodash';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { isRecord } from '../../api/records';
import { normalizeText } from '../../api/text';
import { isBlank } from '../../api/values';
import { isExpression } from '../../parameters/locators';
import {
	createCombinedParameterError,
	createNamedError,
	createParameterError,
	INPUT_MODES,
	isAdded,
	isLeftOut,
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

/** What the settings are for whose allowed values say nothing: any text. */
const PURPOSES: Readonly<Record<string, string>> = {
	admin_email_note: 'Text in the email to the administrators of the form',
	after_message: 'Text that respondents see after they submit the form',
	after_message_email: 'Text of the email to the respondent',
	closed_message: 'Text that the page of a closed form shows',
};

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
		description: PURPOSES[name] ?? upperFirst(describeAllowedValues(setting)),
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
	/** Whether the item restores the old values of an earlier update. */
	isUndo: boolean;
};

/**
 * Reads and checks the settings that an item updates.
 *
 * @throws InputError that lists every invalid setting
 */
export function readSettings(input: ParameterContext, isPreview: boolean): CheckedSettings {
	const mode = readSelectedOption(input, 'inputMode', INPUT_MODES, 'fields');
	if (mode === 'auto') return readFromInputItem(input, isPreview);
	const values =
		mode === 'json' ? Object.entries(readJsonObject(input, 'settingsJson')) : readFields(input);
	if (mode === 'json' && isChanges(input, values)) {
		const oldValues = values.map(([inputName, change]) => {
			return { inputName, value: (change as { from?: unknown }).from };
		});
		return { body: encodeOrThrow(input, oldValues), ignored: [], isUndo: true };
	}
	const settings = values.map(([inputName, value]) => ({ inputName, value }));
	const given = settings.filter(({ value }) => !isLeftOut(input, value));
	const body = encodeOrThrow(input, given);
	if (isEmpty(body)) {
		throw createParameterError(input, 'Add at least one setting, and enter its value');
	}
	return { body, ignored: [], isUndo: false };
}

/** Whether an expression gives the `changes` of an earlier update, which are empty if the form was skipped. */
function isChanges(
	{ node, isTool }: ParameterContext,
	values: ReadonlyArray<[name: string, value: unknown]>,
): boolean {
	const areChanges = values.every(([, value]) => isRecord(value) && 'to' in value);
	return areChanges && !isTool && isExpression(node, 'settingsJson');
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
function readFields(input: ParameterContext): Array<[name: string, value: unknown]> {
	const settings = input.parameter('settings', {});
	if (!isRecord(settings)) throw createParameterError(input, "'Settings' must be an object");
	const filled = Object.entries(settings).filter(([, value]) => value !== '');
	const cleared = readTextList(input, 'clear').map((name): [string, unknown] => [name, null]);
	return [...filled, ...cleared].map(([name, value]) => {
		return [findSetting(name)?.displayName ?? name, value];
	});
}

/**
 * Reads the input fields that are named after settings, such as the columns of a sheet. An empty input field
 * leaves its setting unchanged.
 */
function readFromInputItem(input: ParameterContext, isPreview: boolean): CheckedSettings {
	const clearText = readClearText(input);
	const settings: UncheckedSetting[] = [];
	const ignored: string[] = [];
	for (const [inputName, value] of Object.entries(input.item.json)) {
		const name = findSetting(inputName)?.name;
		if (name === undefined || IDENTIFYING_SETTINGS.includes(name)) {
			ignored.push(inputName);
			continue;
		}
		const isCleared = typeof value === 'string' && normalizeText(value) === clearText;
		const setValue = isBlank(value) ? undefined : value;
		settings.push({ inputName, value: isCleared ? null : setValue });
	}
	// a preview shows such a row among the others, with all its columns as ignored
	if (settings.length > 0 || isPreview) {
		return { body: encodeOrThrow(input, settings), ignored, isUndo: false };
	}
	const advice =
		"Name an input field after a setting, such as 'is_closed'. To change 'name' or 'description', set 'Specify Settings' to 'Using Fields Below'.";
	throw createParameterError(input, 'No input field matches a setting', advice);
}

/** Returns the text of the option in one case. Undefined if the user has not added the option. */
function readClearText(input: ParameterContext): string | undefined {
	const option = 'options.clearText';
	if (!isAdded(input, option)) return undefined;
	const text = normalizeText(readText(input, option));
	if (text !== '') return text;
	throw createNamedError(input, option, 'is empty', 'Enter a text, or remove the option.');
}
