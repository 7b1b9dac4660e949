import type { IDataObject } from 'n8n-workflow';
import { endpoints, targetOf } from '../../api/endpoints';
import { formIdOf } from '../../api/records';
import { listRecords, updateSettings } from '../../api/service';
import { boundOf, settings } from '../../api/settings/settings';
import type { Setting } from '../../api/settings/settings';
import { changesOf } from '../../api/settings/changes';
import type { SettingValue } from '../../api/settings/checkSettings';
import { noSuchForm } from '../../parameters/formId';
import type { Input } from '../../parameters/input';
import { readCollection, readFormId, toSwitch } from '../../parameters/input';
import { formLocator, inputModeChoice, optionsOf } from '../../parameters/properties';
import { existing } from '../operation';
import type { ItemRequest, Operation, Prepared } from '../operation';
import { inPathOf, requestTo } from '../routing';
import { clearOptions, settingFields } from './fields';
import { DESCRIBE, readSettings, RENAME, SETTINGS_MODE } from './values';

const endpoint = endpoints.updateSettings;

export const settingsUpdate: Operation = {
	option: {
		name: 'Update',
		value: 'update',
		action: 'Update form settings',
		description: 'Update settings of a form, such as its name or whether it is closed',
		routing: requestTo(endpoint, prepare),
	},
	toolDescription: `Changes settings of a form, such as opening or closing it. Only the settings that are given change. The settings are: ${settings.map(settingForModel).join('; ')}.`,
	properties: [
		inPathOf(endpoint, formLocator),
		inputModeChoice(SETTINGS_MODE, [
			{
				name: 'Map Automatically',
				value: 'auto',
				description: "Use the input fields that match a setting's name",
			},
			{
				name: 'Using Fields Below',
				value: 'fields',
				description: 'Choose the settings to update one by one',
			},
			{
				name: 'Using JSON',
				value: 'json',
				description: "Provide the settings as JSON, with the service's names as keys",
			},
		]),
		{
			displayName:
				'Input fields with the name of a setting count, by its label or its API name: "Closed" or "is_closed". Case, blanks and punctuation make no difference. An empty field leaves its setting as it is. <a href="https://github.com/OWNER/n8n-nodes-formservice/blob/main/docs/settings.md" target="_blank">All names</a>.',
			name: 'columnsNotice',
			type: 'notice',
			default: '',
			displayOptions: { show: { inputMode: ['auto'] } },
		},
		{
			displayName: RENAME,
			name: 'renameForms',
			type: 'boolean',
			default: false,
			description:
				"Whether a 'name' field in the input renames the form. If off, 'name' is ignored.",
			displayOptions: { show: { inputMode: ['auto'] } },
		},
		{
			displayName: DESCRIBE,
			name: 'updateDescriptions',
			type: 'boolean',
			default: false,
			description:
				"Whether a 'description' field in the input changes the form's public description. If off, 'description' is ignored.",
			displayOptions: { show: { inputMode: ['auto'] } },
		},
		{
			displayName: 'Settings',
			name: 'settings',
			type: 'collection',
			placeholder: 'Add Setting',
			default: {},
			description: 'The settings to update. All others stay as they are.',
			options: settingFields,
			displayOptions: { show: { inputMode: ['fields'] } },
		},
		{
			displayName: 'Settings to Clear',
			name: 'clear',
			type: 'multiOptions',
			default: [],
			options: clearOptions,
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
		optionsOf([
			{
				displayName: 'Preview',
				name: 'preview',
				type: 'boolean',
				// the value that the option has when it is added; without the option, it is off
				default: true,
				description:
					'Whether to update nothing and return what would change. Costs one request per run.',
			},
			{
				displayName: 'Skip Unchanged',
				name: 'skipUnchanged',
				type: 'boolean',
				default: true,
				description:
					'Whether to send only changed settings and skip forms that are up to date. Costs one more request per run.',
			},
		]),
	],
};

function settingForModel(setting: Setting): string {
	const bound = setting.type === 'boolean' ? 'true or false' : boundOf(setting);
	return `${setting.name}: ${bound}${setting.nullable ? ', or null' : ''}`;
}

function prepare(input: Input): Prepared {
	const formId = readFormId(input);
	const { body, ignored } = readSettings(input);
	const options = readUpdateOptions(input);
	return {
		body,
		async send(request) {
			const work = async () => await updateForm(request, formId, body, options);
			const done = await request.run.inInputOrder(formId, work);
			return [{ json: { ...done, ...(ignored !== undefined && { ignored }) } }];
		},
	};
}

type UpdateOptions = { preview: boolean; skipUnchanged: boolean };

function readUpdateOptions(input: Input): UpdateOptions {
	const { preview = false, skipUnchanged = false } = readCollection(input, 'options');
	return {
		preview: toSwitch(input, preview, 'Preview'),
		skipUnchanged: toSwitch(input, skipUnchanged, 'Skip Unchanged'),
	};
}

async function updateForm(
	request: ItemRequest,
	formId: string,
	body: Body,
	{ preview, skipUnchanged }: UpdateOptions,
): Promise<IDataObject> {
	if (Object.keys(body).length === 0) return skipped(formId);
	if (preview) return await previewOf(request, formId, body);
	if (skipUnchanged) return await updateChanged(request, formId, body);
	return await update(request, body, toValues(body));
}

type Body = Record<string, SettingValue>;

async function previewOf(request: ItemRequest, formId: string, body: Body): Promise<IDataObject> {
	const forms = await formsOf(request);
	const absent = noSuchForm(request.context.n8n.getNode(), formId, forms.values());
	const form = existing(request.context, forms.get(formId), absent);
	const { changes, unknown } = changesOf(body, form);
	forms.set(formId, { ...form, ...body });
	return {
		id: formId,
		name: form.name,
		status: 'preview',
		changes,
		...(Object.keys(unknown).length > 0 && { unknown }),
	};
}

async function updateChanged(
	request: ItemRequest,
	formId: string,
	body: Body,
): Promise<IDataObject> {
	const forms = await formsOf(request);
	const form = forms.get(formId) ?? {};
	const { changes, unknown } = changesOf(body, form);
	const rest = Object.fromEntries(
		Object.entries(body).filter(([name]) => name in changes || name in unknown),
	);
	if (Object.keys(rest).length === 0) return skipped(formId, form);
	// until the update has succeeded, nobody knows what the form has
	forms.set(formId, {});
	const done = await update(request, rest, { ...toValues(unknown), ...changes });
	forms.set(formId, { ...form, ...body });
	return done;
}

async function update(
	{ context, target }: ItemRequest,
	body: Body,
	changes: IDataObject,
): Promise<IDataObject> {
	const updated = await updateSettings(context, { ...target, body });
	return { ...updated, status: 'updated', changes };
}

function skipped(formId: string, { name }: IDataObject = {}): IDataObject {
	return { id: formId, ...(name !== undefined && { name }), status: 'skipped', changes: {} };
}

/** Changes whose previous value is unknown. */
function toValues(body: Body): IDataObject {
	return Object.fromEntries(Object.entries(body).map(([name, to]) => [name, { to }]));
}

/** The forms by their IDs: as they are, then as the items of the run leave them. */
async function formsOf({
	context,
	run,
}: ItemRequest): Promise<Map<string | undefined, IDataObject>> {
	const target = targetOf(context.account, endpoints.listForms);
	const read = async () => {
		const forms = await listRecords(context, target);
		return new Map(forms.map((form) => [formIdOf(form), form]));
	};
	return await run.readOnce({ context, target }, read, 'settings');
}
