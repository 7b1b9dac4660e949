import type { INodeProperties } from 'n8n-workflow';
import { checkSettings } from '../../api/settings/checkSettings';
import type { SettingValue } from '../../api/settings/checkSettings';
import { isRecord } from '../../api/records';
import { updateSettings } from '../../api/service';
import { settings } from '../../api/settings/settings';
import type { Input, Operation } from '../../routing/operation';
import { readFormId, readJsonObject, readWords } from '../common/input';
import { invalidAll } from '../common/invalid';
import { inputModeChoice, readInputMode } from '../common/inputMode';
import { formLocator } from '../common/properties';
import { clearOptions, settingFields } from './fields';

const showOnlyForSettingsUpdate = { resource: ['settings'], operation: ['update'] };

const MODE = 'Specify Settings';

export const settingsUpdateProperties: INodeProperties[] = [
	{ ...formLocator, displayOptions: { show: showOnlyForSettingsUpdate } },
	{
		...inputModeChoice(MODE, {
			ofFields: 'Choose the settings to update one by one',
			ofJson: "Give the settings as JSON, by the service's names",
		}),
		displayOptions: { show: showOnlyForSettingsUpdate },
	},
	{
		displayName: 'Settings',
		name: 'settings',
		type: 'collection',
		placeholder: 'Add Setting',
		default: {},
		description: 'The settings to update. All others stay as they are.',
		options: settingFields,
		displayOptions: { show: { ...showOnlyForSettingsUpdate, inputMode: ['fields'] } },
	},
	{
		displayName: 'Clear',
		name: 'clear',
		type: 'multiOptions',
		default: [],
		description: 'The settings to clear, so that the form has no value of its own for them',
		options: clearOptions,
		displayOptions: { show: { ...showOnlyForSettingsUpdate, inputMode: ['fields'] } },
	},
	{
		displayName: 'Settings (JSON)',
		name: 'settingsJson',
		type: 'json',
		required: true,
		default: '{}',
		typeOptions: { rows: 6 },
		description:
			'An object with the settings to update. All others stay as they are; null clears a setting that can be cleared.',
		hint: 'For example {"is_closed": true, "closed_message": "See you next year"}',
		displayOptions: { show: { ...showOnlyForSettingsUpdate, inputMode: ['json'] } },
	},
];

export const settingsUpdate: Operation = {
	prepare(input) {
		const formId = readFormId(input);
		const mode = readInputMode(input, MODE);
		const body =
			mode === 'json'
				? checked(input, readJsonObject(input, 'settingsJson', 'Settings (JSON)'))
				: checked(input, readSettingFields(input), readWords(input, 'clear', 'Clear'));
		// a later item of the same form has the last word, also where an earlier one had to be sent again
		return async (sender, run) => [
			{
				json: await run.inTurn(
					`settings/${formId}`,
					async () => await updateSettings(sender, formId, body),
				),
			},
		];
	},
};

function checked(
	input: Input,
	values: Record<string, unknown>,
	clear: readonly string[] = [],
): Record<string, SettingValue> {
	const { body, problems } = checkSettings(values, clear);
	const texts = problems.map(({ text }) => text);
	if (texts.length > 0) throw invalidAll(input, texts);
	if (Object.keys(body).length === 0) {
		throw invalidAll(input, ['There is no setting to update. Add at least one.']);
	}
	return body;
}

const textSettings = new Set(
	settings.filter(({ type }) => type === 'text').map(({ name }) => name),
);

/** The collection's values. A text field stands for text also where an expression gave a number. */
function readSettingFields(input: Input): Record<string, unknown> {
	const given = input.parameter<unknown>('settings', {});
	if (!isRecord(given)) throw invalidAll(input, ['Settings must be an object.']);
	return Object.fromEntries(
		Object.entries(given).map(([name, value]) => [
			name,
			typeof value === 'number' && textSettings.has(name) ? String(value) : value,
		]),
	);
}
