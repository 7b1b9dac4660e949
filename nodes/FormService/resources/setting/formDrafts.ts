import type { IDataObject } from 'n8n-workflow';
import type { SettingValues } from '../../api/settings/values';

/**
 * Records how the items of a run have changed forms since the list of forms was fetched. If two items update
 * the same form, the second item is compared with the form that the first item has changed.
 */
export class FormDrafts {
	/** The changed settings by the ID of their form. A setting is undefined while its value is unknown. */
	private readonly drafts = new Map<string, Record<string, unknown>>();

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

	/**
	 * Records the values that a form has after an update. For a preview, these are the values that the form would
	 * have.
	 */
	commit(formId: string, values: SettingValues): void {
		this.add(formId, values);
	}

	private add(formId: string, values: Record<string, unknown>): void {
		this.drafts.set(formId, { ...this.drafts.get(formId), ...values });
	}
}
