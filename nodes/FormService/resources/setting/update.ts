import { isEmpty, mapValues, pick } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { createTarget, endpoints } from '../../api/endpoints';
import { hasReason } from '../../api/errors';
import { getFormId, removeSecrets } from '../../api/records';
import type { FailureReason } from '../../api/requestFailure';
import { fetchRecords } from '../../api/replies/listReader';
import { parseUpdatedForm, updateSettings } from '../../api/service';
import { describeSettingsByType } from '../../settings/settings';
import { compareSettings, type SettingChanges, type SettingValues } from '../../settings/values';
import {
	createSharedFetch,
	SharedValues,
	type ItemRequest,
	type Operation,
	type SendResult,
} from '../../execution/operation';
import { isExpression } from '../../parameters/formId';
import {
	createFormNotListedError,
	createParameterError,
	readFormId,
	readBoolean,
	type ParameterContext,
} from '../../parameters/parameterContext';
import {
	formLocator,
	createInputModeProperty,
	createOptionsProperty,
} from '../../parameters/sharedProperties';
import { TOOL_CONDITION } from '../../parameters/resultParameters';
import { checkOrder, FormDrafts } from './formDrafts';
import { clearableSettings, settingProperties } from './settingProperties';
import { CLEAR_TEXT_DISPLAY_NAME, readSettings, SETTINGS_MODE_DISPLAY_NAME } from './readSettings';
import { summarizeUpdate } from './summary';

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
		createInputModeProperty(SETTINGS_MODE_DISPLAY_NAME, {
			auto: "Use the input fields that match a setting's name",
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
				displayName: CLEAR_TEXT_DISPLAY_NAME,
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
		const { body, ignored, unusedNames } = readSettings(input, formId);
		const compares = isPreview || skipsUnchanged;
		const update = { formId, body, ignored, unusedNames, isPreview };
		return {
			ids: { formId },
			async check(request) {
				const listedForm = compares ? await fetchForm(request, input, formId) : undefined;
				return {
					orderKey: formId,
					send: async () => await sendUpdate(request, update, listedForm),
				};
			},
		};
	},
};

const FORM_PER_ROW = "Set 'Form' to 'By ID', and drag the column with the form's ID there.";

type FormUpdate = {
	formId: string;
	body: SettingValues;
	/** The names of input fields that are not used as settings. */
	ignored: readonly string[];
	/** The ignored names that the user probably meant as settings. The summary of the update has these names. */
	unusedNames: readonly string[];
	isPreview: boolean;
};

/**
 * Updates a form. For a preview, or if nothing would change, returns the changes without sending the update.
 *
 * @param listedForm the form to compare the settings with; undefined if all settings are sent without a
 * comparison
 */
async function sendUpdate(
	request: ItemRequest,
	{ formId, body, ignored, unusedNames, isPreview }: FormUpdate,
	listedForm: IDataObject | undefined,
): Promise<SendResult> {
	const drafts = getFormDrafts(request, isPreview);
	const form = listedForm === undefined ? {} : drafts.apply(formId, listedForm);
	const changes = compareSettings(body, form);
	const comparison = {
		summary: summarizeUpdate(changes, unusedNames),
		changes,
		...(ignored.length > 0 && { ignored }),
	};
	if (isPreview || isEmpty(changes)) {
		drafts.commit(formId, body, request.context.itemIndex);
		const status = getUnsentStatus(isPreview, changes);
		const json = { id: formId, name: form.name ?? null, status, ...comparison };
		return { sent: 'no', isFinal: true, createOutput: () => json };
	}
	checkOrder(request, drafts, formId, changes);
	drafts.start(formId, Object.keys(changes));
	const target = { ...request.target, body: mapValues(changes, 'to') };
	const updating = updateSettings(request.context, target);
	updating.catch((error: unknown) => {
		if (hasReason(error, ...REJECTIONS)) drafts.cancel(formId, pick(form, Object.keys(changes)));
	});
	const envelope = await updating;
	drafts.commit(formId, body, request.context.itemIndex);
	const createOutput = () => {
		const { id, name, ...details } = removeSecrets(parseUpdatedForm(request.context, envelope));
		// put the summary before the form's messages, which can be long
		return { id, name, status: 'updated', ...comparison, ...details };
	};
	return { sent: 'yes', isFinal: true, createOutput };
}

/** The reasons of a failed update that show that the form has not changed. */
const REJECTIONS: FailureReason[] = ['rejected', 'tokenRejected', 'accessDenied', 'notFound'];

function getUnsentStatus(isPreview: boolean, changes: SettingChanges): string {
	if (!isPreview) return 'skipped';
	return isEmpty(changes) ? 'unchanged' : 'preview';
}

/**
 * Finds a form in the list of forms. The items of a run share the list.
 *
 * @throws NodeOperationError if the list has no form with this ID
 */
async function fetchForm(
	request: ItemRequest,
	input: ParameterContext,
	formId: string,
): Promise<IDataObject> {
	const target = createTarget(request.context.account, endpoints.listForms);
	const formsById = await fetchFormsById({ ...request, target });
	const form = formsById.get(formId);
	if (form === undefined) throw createFormNotListedError(input, formId);
	return form;
}

const fetchFormsById = createSharedFetch(
	async (context, target): Promise<ReadonlyMap<string, IDataObject>> => {
		const forms = await fetchRecords(context, target);
		return new Map(forms.map((form) => [getFormId(form) ?? '', form]));
	},
);

/**
 * Returns the changes that the items of the run have made to forms so far. Previews and updates have separate
 * drafts. A preview sends nothing, so an update must not treat the previewed changes as done.
 */
function getFormDrafts(request: ItemRequest, isPreview: boolean): FormDrafts {
	const drafts = isPreview ? previewedForms : updatedForms;
	return drafts.getOrCreate(request, '', () => new FormDrafts());
}

const updatedForms = new SharedValues<FormDrafts>();
const previewedForms = new SharedValues<FormDrafts>();
