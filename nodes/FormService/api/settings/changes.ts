import type { GenericValue, IDataObject } from 'n8n-workflow';
import { readBoolean } from '../readers';
import type { SettingValue } from './checkSettings';

/** What an update does to a form, as far as the form's record tells. */
export type Changes = {
	/** The settings that get another value; `from` is what the form has. */
	changes: Record<string, { from: GenericValue; to: SettingValue }>;
	/** The settings that the record does not show: whether they change cannot be known. */
	unknown: Record<string, SettingValue>;
};

/**
 * Compares an update with the record of a form. The specification leaves open which settings a record
 * shows (section 2.2).
 */
export function changesOf(
	body: Readonly<Record<string, SettingValue>>,
	form: IDataObject,
): Changes {
	const entries = Object.entries(body);
	const changed = entries.filter(
		([name, to]) => Object.hasOwn(form, name) && !isSame(form[name], to),
	);
	return {
		changes: Object.fromEntries(changed.map(([name, to]) => [name, { from: form[name], to }])),
		unknown: Object.fromEntries(entries.filter(([name]) => !Object.hasOwn(form, name))),
	};
}

/** Services say yes and no in several ways, and numbers as text. */
function isSame(from: unknown, to: SettingValue): boolean {
	if (typeof to === 'boolean') return readBoolean(from) === to;
	if (typeof to === 'number') return String(from) === String(to);
	return from === to;
}
