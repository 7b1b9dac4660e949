import type { IDataObject } from 'n8n-workflow';
import { InputError } from '../../api/errors';
import { findSetting } from '../../settings/settings';
import type { SettingChanges, SettingValues } from '../../settings/values';
import { formatNames } from '../../api/spelling';
import type { ItemRequest } from '../../execution/operation';

/**
 * Records how the items of a run have changed forms since the list of forms was fetched. If two items update
 * the same form, the second item is compared with the form that the first item has changed.
 */
export class FormDrafts {
	/** The changed settings by the ID of their form. A setting is undefined while its value is unknown. */
	private readonly drafts = new Map<string, Record<string, unknown>>();
	/** The index of the item that last changed a setting, by the ID of the form and the name of the setting. */
	private readonly itemIndexes = new Map<string, ReadonlyMap<string, number>>();

	/**
	 * Returns the form with the changes that the items of the run have made so far. A setting is undefined from
	 * the start of its update until the update succeeds.
	 *
	 * @param form the form from the list of forms
	 */
	apply(formId: string, form: IDataObject): IDataObject {
		return { ...form, ...this.drafts.get(formId) } as IDataObject;
	}

	/** Records that an update of these settings has started. The values are unknown until the update succeeds. */
	start(formId: string, names: readonly string[]): void {
		this.add(formId, Object.fromEntries(names.map((name) => [name, undefined])));
	}

	/** Records that Form Service has rejected an update, so that the settings still have the earlier values. */
	cancel(formId: string, earlierValues: Record<string, unknown>): void {
		this.add(formId, earlierValues);
	}

	/**
	 * Records the values that a form has after an update. For a preview, these are the values that the form would
	 * have.
	 */
	commit(formId: string, values: SettingValues, itemIndex = 0): void {
		this.add(formId, values);
		const indexes = Object.keys(values).map((name) => [name, itemIndex] as const);
		this.itemIndexes.set(formId, new Map([...(this.itemIndexes.get(formId) ?? []), ...indexes]));
	}

	/** Returns those of the settings that a later item has changed. */
	findChangedLater(formId: string, names: readonly string[], itemIndex = 0): string[] {
		const indexes = this.itemIndexes.get(formId);
		return names.filter((name) => (indexes?.get(name) ?? -1) > itemIndex);
	}

	private add(formId: string, values: Record<string, unknown>): void {
		this.drafts.set(formId, { ...this.drafts.get(formId), ...values });
	}
}

/**
 * Checks that no later item of the run has changed the same settings. A later item can be sent first if an
 * earlier item failed, and n8n executes the node again.
 *
 * @throws InputError that names the settings
 */
export function checkOrder(
	{ context: { n8n, itemIndex } }: ItemRequest,
	drafts: FormDrafts,
	formId: string,
	changes: SettingChanges,
): void {
	const names = drafts.findChangedLater(formId, Object.keys(changes), itemIndex);
	if (names.length === 0) return;
	const titles = names.map((name) => `'${findSetting(name)?.displayName ?? name}'`);
	throw new InputError(n8n.getNode(), {
		message: `Not sent, because a later item has already changed ${formatNames(titles)}`,
		description: 'The last item for a form wins. To use the values of this item, run it alone.',
		itemIndex,
	});
}
