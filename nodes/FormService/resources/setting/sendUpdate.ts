import { defaults, isEmpty, mapValues, pick } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { truncateText } from '../../api/text';
import { hasReason } from '../../api/errors';
import { parseBoolean } from '../../api/values';
import { removeSecrets } from '../../api/records';
import type { FailureReason } from '../../api/failures';
import { updateSettings } from '../../api/service';
import { shareInRun, type ItemRequest } from '../../execution/operation';
import {
	compareSettings,
	findSetting,
	toStoredValue,
	type SettingChanges,
	type SettingValues,
} from '../../settings/settings';

/** A checked update of a form. */
export type FormUpdate = {
	formId: string;
	body: SettingValues;
	isUndo: boolean;
	isPreview: boolean;
	/** What the output says in addition, such as the input fields that are not used. */
	details: IDataObject;
};

/**
 * Updates a form. For a preview, or if nothing would change, returns the changes without sending the update.
 *
 * @param listedForm the form before the run; empty if all settings are sent without a comparison
 */
export async function sendUpdate(
	request: ItemRequest,
	update: FormUpdate,
	listedForm: IDataObject,
): Promise<{ isSent: boolean; json: IDataObject }> {
	const { formId, isPreview, details } = update;
	const run = isPreview ? 'previewed' : 'updated';
	// what the items of the run have changed so far; a preview sends nothing, so its changes are apart
	const draft = shareInRun(request, `${run} settings of ${formId}`, (): IDataObject => ({}));
	const body = update.isUndo ? findOldestValues(request, update) : update.body;
	const form = { ...listedForm, ...draft };
	const changes = compareSettings(body, form);
	const comparison = { summary: summarizeChanges(changes), changes, ...details };
	if (isPreview || isEmpty(changes)) {
		Object.assign(draft, body);
		const unsent = isPreview ? 'preview' : 'skipped';
		const status = isPreview && isEmpty(changes) ? 'unchanged' : unsent;
		return { isSent: false, json: { id: formId, name: form.name ?? null, status, ...comparison } };
	}
	// unknown until the update has succeeded, so that a later item sends its values
	for (const setting of Object.keys(changes)) draft[setting] = undefined;
	const target = { ...request.target, body: mapValues(changes, 'to') };
	const updating = updateSettings(request.context, target);
	updating.catch((error: unknown) => {
		if (hasReason(error, ...REJECTIONS)) Object.assign(draft, pick(form, Object.keys(changes)));
	});
	const { id, name, ...reply } = removeSecrets(await updating);
	Object.assign(draft, body);
	// the summary comes before the form's messages, which can be long
	const identity = { id: id ?? formId, name: name ?? form.name ?? null };
	return { isSent: true, json: { ...identity, status: 'updated', ...comparison, ...reply } };
}

/** The reasons of a failed update that show that the form has not changed. */
const REJECTIONS: FailureReason[] = ['rejected', 'tokenRejected', 'accessDenied', 'notFound'];

/** Several items can undo updates of a form. The first item has the oldest values, so all restore them. */
function findOldestValues(
	request: ItemRequest,
	{ formId, body, isPreview }: FormUpdate,
): SettingValues {
	const name = `${isPreview ? 'previewed' : 'updated'} undo of ${formId}`;
	const oldest = shareInRun(request, name, (): SettingValues => ({}));
	return pick(defaults(oldest, body), Object.keys(body));
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
	const isOn = findSetting(name)?.type === 'boolean' ? parseBoolean(value) : undefined;
	if (isOn !== undefined) return isOn ? 'Yes' : 'No';
	return truncateText(
		typeof value === 'object' ? JSON.stringify(value) : String(value),
		MAX_LENGTH,
	);
}
