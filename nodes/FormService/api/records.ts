import { mapValues, sortBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

/** Whether a value is an object with names, as every record of the service is. */
export function isRecord(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The entries of a list, also of one with gaps: PHP sends an object with numbers for names. */
export function listEntries(value: unknown): unknown[] | undefined {
	if (Array.isArray(value)) return value as unknown[];
	if (!isRecord(value) || !Object.keys(value).every((name) => /^\d+$/.test(name))) return undefined;
	return Object.values(value);
}

/** The same value with the attributes of objects in the order of their names: services send them in any order. */
export function sortKeys<T>(value: T): T;
export function sortKeys(value: unknown): unknown {
	if (Array.isArray(value)) return value.map((one: unknown) => sortKeys(one));
	if (!isRecord(value)) return value;
	const sorted = sortBy(Object.entries(value), 0);
	return Object.fromEntries(sorted.map(([name, one]) => [name, sortKeys(one)]));
}

/** Whether an object is one record; an envelope can have an identity too, that of the request. */
export function isSingleRecord(value: IDataObject): boolean {
	return getId(value) !== undefined && !('success' in value);
}

/** The identity of a record, as the service writes it: its `uuid`, else its `id`. */
export function getId({ uuid, id }: IDataObject): string | undefined {
	return asId(uuid) ?? asId(id);
}

/** The id of a form in the service's paths: its `id` (specification, section 2.2), else its `uuid`. */
export function getFormId(form: IDataObject): string | undefined {
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
 * Whether a value can be the id of a form or the UUID of a response or field (specification, sections 2.2
 * to 2.4). Anything that would mean something in a path (`/`, `.`, `%`) is not one and never leaves.
 */
export function isId(value: unknown): value is string {
	return typeof value === 'string' && ID.test(value);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isUuid(value: unknown): value is string {
	return typeof value === 'string' && UUID.test(value);
}

/** Names of attributes whose value lets its holder act for the account (specification, section 2.1). */
const SECRET_NAME = /secret|token|password|api_?key|webhook_?url/i;

/**
 * A copy of a record without its secrets at any depth, such as the addresses of chat webhooks.
 *
 * @param answerAttributes attributes that hold answers: their names are labels of the form's author
 */
export function withoutSecrets(
	record: IDataObject,
	answerAttributes: readonly string[] = [],
): IDataObject {
	const entries = Object.entries(record)
		.filter(([name]) => !SECRET_NAME.test(name))
		.map(([name, value]) => [
			name,
			answerAttributes.includes(name) ? structuredClone(value) : cleanValue(value),
		]);
	return Object.fromEntries(entries) as IDataObject;
}

/** A copy of a value from JSON: structuredClone takes several times as long. */
export function copyJson<T>(value: T): T {
	if (Array.isArray(value)) return value.map(copyJson) as T;
	return isRecord(value) ? (mapValues(value, copyJson) as T) : value;
}

function cleanValue(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(cleanValue);
	return isRecord(value) ? withoutSecrets(value) : value;
}
