import type { IDataObject } from 'n8n-workflow';

/** Whether a value is an object with names, as every record of the service is. */
export function isRecord(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The identity of a form, field or response: its `uuid`, else its `id`, as text. Undefined for a
 * record that has neither.
 */
export function identityOf(record: IDataObject): string | undefined {
	return [record.uuid, record.id].map(asIdentity).find((identity) => identity !== undefined);
}

/**
 * The id of a form, by which the service's paths name it: the specification fixes it as `id` (section
 * 2.2), whatever else a form has.
 */
export function formIdOf(form: IDataObject): string | undefined {
	return asIdentity(form.id) ?? asIdentity(form.uuid);
}

function asIdentity(value: unknown): string | undefined {
	if (typeof value === 'string' && value !== '') return value;
	// beyond 2^53, JSON.parse has rounded it, and two records would have one identity
	return Number.isSafeInteger(value) ? String(value) : undefined;
}
