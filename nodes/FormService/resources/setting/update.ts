import { isEmpty, mapValues, omit } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { endpoints, createTarget } from '../../api/endpoints';
import { truncateText } from '../../api/errorTexts';
import { parseBoolean } from '../../api/parseValues';
import { getFormId, removeSecrets } from '../../api/records';
import { listRecords, updateSettings } from '../../api/service';
import {
	describeAllowedValues,
	findSetting,
	settings,
	type Setting,
} from '../../api/settings/settings';
import {
	compareSettings,
	type SettingChanges,
	type SettingValues,
} from '../../api/settings/values';
import { fetchOncePerRun, type ItemRequest, type Operation } from '../../execution/operation';
import { isExpression } from '../../parameters/formId';
import {
	createFormNotListedError,
	createParameterError,
	readFormId,
	readSwitch,
} from '../../parameters/parameterContext';
import {
	CHOOSE_FORM_BY_ID,
	formLocator,
	createMappingNotices,
	createInputModeProperty,
	createOptionsProperty,
} from '../../parameters/sharedProperties';
import { clearableSettings, settingProperties } from './settingProperties';
import { readSettings, SETTINGS_MODE } from './readSettings';

export const settingsUpdate: Operation = {
	option: {
		name: 'Update',
		value: 'update',
		action: 'Update form settings',
		description: 'Change settings of a form, such as its name or whether it is closed',
	},
	endpoint: endpoints.updateSettings,
	toolDescription: `Changes settings of a form, such as opening or closing it. Only the given settings change. Settings as JSON are: ${settings.map(describeSetting).join('; ')}.`,
	properties: [
		formLocator,
		createInputModeProperty(SETTINGS_MODE, {
			auto: "Use the input fields that match a setting's name",
			fields: 'Choose the settings to update one by one',
			json: 'Provide the settings as JSON, with their names as keys',
		}),
		...createMappingNotices(
			'Name the columns after <a href="https://github.com/OWNER/n8n-nodes-formservice/blob/main/docs/settings.md" target="_blank">settings</a>, such as "Closed" or "is_closed". Empty cells change nothing. Try it with Preview first.',
		),
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
			description: 'Settings to remove from the form',
			options: clearableSettings,
			displayOptions: { show: { inputMode: ['fields'] } },
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
				'Whether to return what would change without updating the form. Uses one request per run.',
		},
		createOptionsProperty([
			{
				displayName: 'Skip Unchanged',
				name: 'skipUnchanged',
				type: 'boolean',
				default: true,
				description:
					'Whether to send only changed settings and skip forms that are up to date. Uses one more request per run.',
			},
		]),
	],
	prepare(input) {
		const formId = readFormId(input);
		const isMapped = input.parameter('inputMode') === 'auto';
		if (isMapped && !isExpression(input.node, 'formId') && input.itemIndex !== 0) {
			throw createParameterError(input, 'Several items would update one form', CHOOSE_FORM_BY_ID);
		}
		const preview = readSwitch(input, 'preview', 'Preview', false);
		const skips = readSwitch(input, 'options.skipUnchanged', 'Skip Unchanged', false);
		const { body, ignored } = readSettings(input);
		const compares = !isEmpty(body) && (preview || skips);
		return {
			ids: { formId },
			body,
			async read(request) {
				const forms = compares ? await readFormsById(request) : undefined;
				if (forms?.has(formId) === false) throw createFormNotListedError(input, formId);
				return {
					orderKey: formId,
					async send() {
						const done = await updateForm(request, formId, body, forms, preview);
						const json = { ...done, ...(ignored.length > 0 && { ignored }) };
						return { json, isSent: done.status === 'updated' };
					},
				};
			},
		};
	},
};

function describeSetting(setting: Setting): string {
	return `${setting.name}: ${describeAllowedValues(setting)}${setting.nullable ? ', or null' : ''}`;
}

/**
 * Updates a form, or says what an update would change.
 *
 * @param forms the forms as they are, for comparison; undefined if the settings are sent without one
 */
async function updateForm(
	{ context, target }: ItemRequest,
	formId: string,
	body: SettingValues,
	forms: Map<string, IDataObject> | undefined,
	previews: boolean,
): Promise<IDataObject> {
	const form = forms?.get(formId) ?? {};
	const changes = compareSettings(body, form);
	const rest = mapValues(changes, 'to');
	const compared = { summary: summarizeChanges(changes), changes };
	const after = { ...form, ...body };
	if (isEmpty(rest) || previews) {
		// a later item is compared with what this one would leave
		forms?.set(formId, after);
		const status = previews ? (isEmpty(rest) ? 'unchanged' : 'preview') : 'skipped';
		return { id: formId, name: form.name, status, ...compared };
	}
	// until the update has succeeded, nobody knows what these settings are
	forms?.set(formId, omit(form, Object.keys(rest)));
	const updated = await updateSettings(context, { ...target, body: rest });
	forms?.set(formId, after);
	return { ...removeSecrets(updated), status: 'updated', ...compared };
}

/** The most characters of a value that a summary shows. */
const MAX_SHOWN = 40;

/** What an update changes in the editor's words, such as "Closed: No → Yes", or "No changes". */
function summarizeChanges(changes: SettingChanges): string {
	const parts = Object.entries(changes).map(([name, { from, to }]) => {
		const start = from === undefined ? '' : `${showValue(name, from)} → `;
		return `${findSetting(name)?.displayName ?? name}: ${start}${showValue(name, to)}`;
	});
	return parts.join('; ') || 'No changes';
}

function showValue(name: string, value: unknown): string {
	if (value === null || value === '') return 'empty';
	// a service may write a boolean as 0 or 1
	const answer = findSetting(name)?.type === 'boolean' ? parseBoolean(value) : undefined;
	if (answer !== undefined) return answer ? 'Yes' : 'No';
	return truncateText(typeof value === 'object' ? JSON.stringify(value) : String(value), MAX_SHOWN);
}

/** The forms by their IDs: as they are, then as the items of the run leave them. */
async function readFormsById(request: ItemRequest): Promise<Map<string, IDataObject>> {
	const target = createTarget(request.context.account, endpoints.listForms);
	return await fetchOncePerRun(
		{ ...request, target },
		async (context) => {
			const forms = await listRecords(context, target);
			return new Map(forms.map((form) => [getFormId(form) ?? '', form] as const));
		},
		'by ID',
	);
}
