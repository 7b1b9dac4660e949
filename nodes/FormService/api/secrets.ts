import type { IDataObject } from 'n8n-workflow';
import { isRecord } from './records';

/** Names of attributes whose value lets its holder act for the account (specification, section 2.1). */
const SECRET_NAME = /secret|token|password|api_?key|webhook_?url/i;

/**
 * A workspace, form or field without its secrets at any depth, such as the webhook secret and the
 * addresses of chat webhooks. It shares nothing with the record.
 */
export function withoutSecrets(record: IDataObject): IDataObject {
	return cleaned(record) as IDataObject;
}

function cleaned(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(cleaned);
	if (!isRecord(value)) return value;
	const entries = Object.entries(value).filter(([name]) => !SECRET_NAME.test(name));
	return Object.fromEntries(entries.map(([name, entry]) => [name, cleaned(entry)]));
}
