import type { IDataObject } from 'n8n-workflow';

/** Whether a value is an object with names, as every record of the service is. */
export function isRecord(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether an object is a record and not a container of records: a record has an identity. */
export function hasIdentity(value: IDataObject): boolean {
	return ['uuid', 'id'].some((key) => ['string', 'number'].includes(typeof value[key]));
}

/** The `uuid` of a record, else its `id`, as the service writes it: for output, and for what is sent. */
export function idOf(record: IDataObject): string | undefined {
	return asId(record.uuid) ?? asId(record.id);
}

/**
 * The identity of a form, field or response, for comparison: its `uuid`, else its `id`, with a UUID in
 * lower case. Undefined for a record that has neither.
 */
export function identityOf({ uuid, id }: IDataObject): string | undefined {
	const identity = asId(uuid) ?? asId(id);
	return identity === undefined ? undefined : comparableId(identity);
}

/** Both identities of a record, `uuid` first: a service can begin to list one beside the other. */
export function identitiesOf({ uuid, id }: IDataObject): string[] {
	const identities = [asId(uuid), asId(id)].filter((one) => one !== undefined);
	return [...new Set(identities.map(comparableId))];
}

/** An ID in the form in which IDs are compared: the case of a UUID means nothing (RFC 9562, section 4). */
export function comparableId(id: string): string {
	return isUuid(id) ? id.toLowerCase() : id;
}

/**
 * The id of a form, by which the service's paths name it: the specification fixes it as `id` (section
 * 2.2), whatever else a form has.
 */
export function formIdOf(form: IDataObject): string | undefined {
	return asId(form.id) ?? asId(form.uuid);
}

function asId(value: unknown): string | undefined {
	if (typeof value === 'string' && value !== '') return value;
	// beyond 2^53, JSON.parse has rounded the number, and two records would share an identity
	return Number.isSafeInteger(value) && Number(value) >= 0 ? String(value) : undefined;
}

/** The longest id that is sent; the ids of the service have 6 (forms) and 36 (UUID) characters. */
export const MAX_ID_LENGTH = 255;

const ID = new RegExp(`^[A-Za-z0-9_-]{1,${MAX_ID_LENGTH}}$`);

/**
 * Whether a value can be the id of a form or the UUID of a response or field: 1 to 255 letters,
 * digits, hyphens and underscores (specification, sections 2.2 to 2.4). Anything that would mean
 * something in a path (`/`, `.`, `%`) is not one and never leaves.
 */
export function isId(value: unknown): value is string {
	return typeof value === 'string' && ID.test(value);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isUuid(value: unknown): value is string {
	return typeof value === 'string' && UUID.test(value);
}

/** Whether the service means yes: `true`, or 1 (specification, section 4, rule 5), also as text. */
export function saysYes(value: unknown): boolean {
	return value === true || value === 1 || (typeof value === 'string' && /^(true|1)$/i.test(value));
}

/** Whether the service means no: `false` or 0, also as text. Nothing said is neither yes nor no. */
export function saysNo(value: unknown): boolean {
	return (
		value === false || value === 0 || (typeof value === 'string' && /^(false|0)$/i.test(value))
	);
}
