import type { IDataObject } from 'n8n-workflow';
import { createTarget, endpoints } from '../../api/endpoints';
import { getFormId } from '../../api/records';
import { fetchRecords } from '../../api/replies/listReader';
import type { RequestContext } from '../../api/requestContext';
import { describeSettingsByType } from '../../settings/settings';
import { fetchOnce, type ItemRequest, type Operation } from '../../execution/operation';
import {
	isExpression,
	createFormNotFoundError,
	readFormId,
	formLocator,
} from '../../parameters/locators';
import {
	createParameterError,
	readBoolean,
	type ParameterContext,
	createInputModeProperty,
	createOptionsProperty,
} from '../../parameters/parameterContext';
import { TOOL_CONDITION } from '../../parameters/resultParameters';
import { sendUpdate } from './sendUpdate';
import { clearableSettings, readSettings, settingProperties } from './settingParameters';

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
			auto: "Use the input fields that match a setting's name, except Name and Description",
			fields: 'Choose the settings to update one by one',
			json: 'Provide the settings as JSON, with their names as keys',
		}),
		{
			displayName:
				'Name the columns after <a href="https://github.com/OWNER/n8n-nodes-formservice/blob/main/docs/settings.md" target="_blank">settings</a>, such as "Closed" or "is_closed". Empty cells change nothing. Try it with \'Preview\' first.',
			name: 'columnsNotice',
			type: 'notice',
			default: '',
			displayOptions: { show: { inputMode: ['auto'] } },
		},
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
			throw createParameterError(input, 'Several items would update one form', FORM_PER_ROW);
		}
		const isPreview = readBoolean(input, 'preview', false);
		const skipsUnchanged = readBoolean(input, 'options.skipUnchanged', false);
		const { body, ignored, isUndo } = readSettings(input, isPreview);
		const details = ignored.length > 0 ? { ignored } : {};
		const update = { formId, body, isUndo, isPreview, details };
		return {
			ids: { formId },
			async check(request) {
				const compares = isPreview || skipsUnchanged;
				const listedForm = compares ? await findForm(request, input, formId) : {};
				return async () => await sendUpdate(request, update, listedForm);
			},
		};
	},
};

const FORM_PER_ROW = "Set 'Form' to 'By ID', and drag the column with the form's ID there.";

async function findForm(
	request: ItemRequest,
	input: ParameterContext,
	formId: string,
): Promise<IDataObject> {
	const target = createTarget(request.context.account, endpoints.listForms);
	const fetch = async (context: RequestContext) => {
		const forms = await fetchRecords(context, target);
		return new Map(forms.map((form) => [getFormId(form), form]));
	};
	const form = (await fetchOnce(request, fetch, 'forms by ID')).get(formId);
	if (form !== undefined) return form;
	throw createFormNotFoundError(input.node, formId, { itemIndex: input.itemIndex });
}
