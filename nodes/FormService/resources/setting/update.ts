import { isEmpty, mapValues } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { endpoints } from '../../api/endpoints';
import { removeSecrets } from '../../api/records';
import { updateSettings } from '../../api/service';
import { truncateText } from '../../api/text';
import { parseBoolean } from '../../api/values';
import {
	compareSettings,
	describeSettingsByType,
	findSetting,
	toStoredValue,
	type SettingChanges,
} from '../../settings/settings';
import { fetchOnce, type ItemRequest, type Operation } from '../../execution/operation';
import { isExpression, readFormId, formLocator } from '../../parameters/locators';
import {
	createParameterError,
	readBoolean,
	createInputModeProperty,
	createOptionsProperty,
	type ParameterContext,
} from '../../parameters/parameterContext';
import { TOOL_CONDITION } from '../../parameters/resultParameters';
import { findForm } from '../forms';
import {
	clearableSettings,
	readSettings,
	settingProperties,
	type CheckedSettings,
} from './settingParameters';

export const settingsUpdate: Operation = {
	option: {
		name: 'Update',
		value: 'update',
		action: 'Update form settings (close, open, rename)',
		description: 'Change settings of a form, such as its name or whether it is closed',
	},
	endpoint: endpoints.updateSettings,
	toolDescription: `Changes settings of a form, such as opening or closing it. Only settings with a value change; null and "" change nothing. Settings as JSON, by name: ${describeSettingsByType()}.`,
	properties: [
		formLocator,
		createInputModeProperty('Specify Settings', {
			auto: 'Use the input fields named after settings, such as "Closed" or "is_closed", except Name and Description. Empty ones change nothing.',
			fields: 'Choose the settings to update one by one',
			json: 'Provide the settings as JSON, with their names as keys',
		}),
		{
			displayName: 'Settings',
			name: 'settings',
			type: 'collection',
			placeholder: 'Add Setting',
			default: {},
			description: 'The settings to update. All others stay as they are.',
			options: settingProperties,
			displayOptions: { show: { inputMode: ['fields'] } },
		},
		{
			displayName: 'Settings to Clear',
			name: 'clear',
			type: 'multiOptions',
			default: [],
			description: 'Settings to empty',
			options: clearableSettings,
			// a model cannot clear settings, because it fills in an empty value for every parameter that it does not
			// need
			displayOptions: { show: { inputMode: ['fields'] }, hide: TOOL_CONDITION },
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
			displayOptions: { show: { inputMode: ['json'] } },
		},
		{
			displayName: 'Preview',
			name: 'preview',
			type: 'boolean',
			default: false,
			description:
				'Whether to return what would change without updating the form. Uses at least one request per run.',
		},
		createOptionsProperty([
			{
				displayName: 'Skip Unchanged',
				name: 'skipUnchanged',
				type: 'boolean',
				default: true,
				description:
					'Whether to send only changed settings and skip forms that are up to date. Shows old values. Uses at least one more request per run.',
			},
			{
				displayName: 'Text That Clears a Setting',
				name: 'clearText',
				type: 'string',
				default: '(empty)',
				description: 'A cell with this text clears the setting',
				displayOptions: { show: { '/inputMode': ['auto'] } },
			},
		]),
	],
	prepare(input) {
		const formId = readFormId(input);
		const isMapped = input.parameter('inputMode') === 'auto';
		if (isMapped && input.hasSeveralItems && !isExpression(input.node, 'formId')) {
			const advice = "Set 'Form' to 'By ID', and drag the column with the form's ID there.";
			throw createParameterError(input, 'Several items would update one form', advice);
		}
		const isPreview = readBoolean(input, 'preview', false);
		const skipsUnchanged = readBoolean(input, 'options.skipUnchanged', false);
		const update = { formId, isPreview, ...readSettings(input) };
		return {
			ids: { formId },
			async check(request) {
				const compares = isPreview || skipsUnchanged;
				const form = compares ? await copyForm(request, input, formId, isPreview) : {};
				return async () => await sendUpdate(request, update, form);
			},
		};
	},
};

/**
 * Finds a form, and returns a copy for all items of the run. Each item changes the copy as it updates the form. A
 * preview has another copy, because nothing is sent.
 */
async function copyForm(
	request: ItemRequest,
	input: ParameterContext,
	formId: string,
	isPreview: boolean,
): Promise<IDataObject> {
	const copy = async () => ({ ...(await findForm(request, input, formId)) });
	return await fetchOnce(request, copy, `${isPreview ? 'previewed' : 'updated'} form ${formId}`);
}

/** A checked update of a form. */
type FormUpdate = CheckedSettings & { formId: string; isPreview: boolean };

/**
 * Updates a form. For a preview, or if nothing would change, returns the changes without sending the update.
 *
 * @param form what is known of the form; empty if all settings are sent without a comparison
 */
async function sendUpdate(
	request: ItemRequest,
	update: FormUpdate,
	form: IDataObject,
): Promise<{ isSent: boolean; json: IDataObject }> {
	const { formId, body, isPreview, ignored } = update;
	const changes = compareSettings(body, form);
	const summary = summarizeChanges(changes);
	const comparison = { summary, changes, ...(ignored.length > 0 && { ignored }) };
	if (isPreview || isEmpty(changes)) {
		Object.assign(form, body);
		const unsent = isPreview ? 'preview' : 'skipped';
		const status = isPreview && isEmpty(changes) ? 'unchanged' : unsent;
		return { isSent: false, json: { id: formId, name: form.name ?? null, status, ...comparison } };
	}
	// if this update fails, these values are unknown, and a later item must send its own
	for (const setting of Object.keys(changes)) form[setting] = undefined;
	const target = { ...request.target, body: mapValues(changes, 'to') };
	const { id, name, ...reply } = removeSecrets(await updateSettings(request.context, target));
	Object.assign(form, body);
	// the summary comes before the form's messages, which can be long
	const identity = { id: id ?? formId, name: name ?? form.name ?? null };
	return { isSent: true, json: { ...identity, status: 'updated', ...comparison, ...reply } };
}

/** The maximum number of characters of a value in a summary. */
const MAX_LENGTH = 40;

/** Describes an update with the names of settings in the editor: "Closed: No → Yes". */
function summarizeChanges(changes: SettingChanges): string {
	const parts = Object.entries(changes).map(([name, { from, to }]) => {
		const start = from === undefined ? '' : `${formatValue(name, from)} → `;
		return `${findSetting(name)?.displayName ?? name}: ${start}${formatValue(name, to)}`;
	});
	return parts.join('; ') || 'No changes';
}

function formatValue(name: string, value: unknown): string {
	if (toStoredValue(value) === null) return 'empty';
	// the service may send a boolean as 0 or 1
	const isEnabled = findSetting(name)?.type === 'boolean' ? parseBoolean(value) : undefined;
	if (isEnabled !== undefined) return isEnabled ? 'Yes' : 'No';
	return truncateText(
		typeof value === 'object' ? JSON.stringify(value) : String(value),
		MAX_LENGTH,
	);
}
