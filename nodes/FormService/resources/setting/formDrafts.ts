import type { IDataObject } from 'n8n-workflow';
import type { SettingValues } from '../../api/settings/values';

/**
 * What the items of a run have changed in forms since the list of forms was fetched. A later item of a form is
 * compared with the form as the earlier items leave it.
 */
export class FormDrafts {
	/** By the ID of the form. A setting whose value is unknown is undefined. */
	private readonly drafts = new Map<string, Record<string, unknown>>();

	/** Returns the form as the items so far leave it. */
	apply(formId: string, form: IDataObject): IDataObject {
		return { ...form, ...this.drafts.get(formId) } as IDataObject;
	}

	/** Records that an update starts: until the update has succeeded, the values of its settings are unknown. */
	start(formId: string, names: readonly string[]): void {
		this.add(formId, Object.fromEntries(names.map((name) => [name, undefined])));
	}

	/** Records that an update has succeeded, or what the form would have after the update of a preview. */
	commit(formId: string, values: SettingValues): void {
		this.add(formId, values);
	}

	private add(formId: string, values: Record<string, unknown>): void {
		this.drafts.set(formId, { ...this.drafts.get(formId), ...values });
	}
}
