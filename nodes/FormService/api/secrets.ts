import type { IDataObject } from 'n8n-workflow';
import { isRecord } from './records';

/** Names of attributes whose value lets whoever has it act for the workspace (specification, section 2.1). */
const SECRET_NAME = /secret|token|password|api_?key|webhook_?url/i;

/** A record without its secrets, at any depth: the webhook secret, the addresses of chat webhooks. */
export function withoutSecrets(record: IDataObject): IDataObject {
	return Object.fromEntries(
		Object.entries(record)
			.filter(([name]) => !SECRET_NAME.test(name))
			.map(([name, value]) => [name, cleaned(value)]),
	);
}

function cleaned(value: IDataObject[string]): IDataObject[string] {
	if (Array.isArray(value)) return value.map((entry) => cleaned(entry)) as IDataObject[];
	return isRecord(value) ? withoutSecrets(value) : value;
}
