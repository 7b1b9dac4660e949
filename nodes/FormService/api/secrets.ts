import type { IDataObject } from 'n8n-workflow';
import { isRecord } from './records';

/** Names of attributes whose value lets its holder act for the account (specification, section 2.1). */
const SECRET_NAME = /secret|token|password|api_?key|webhook_?url/i;

/**
 * A record without its secrets at any depth, such as the webhook secret and the addresses of chat
 * webhooks. It shares nothing with the record.
 *
 * @param answerAttributes attributes of a response that hold answers: their names are labels, which the
 * form's author chose
 */
export function withoutSecrets(
	record: IDataObject,
	answerAttributes: readonly string[] = [],
): IDataObject {
	const entries = Object.entries(record)
		.filter(([name]) => !SECRET_NAME.test(name))
		.map(([name, value]) => [
			name,
			answerAttributes.includes(name) ? structuredClone(value) : cleaned(value),
		]);
	return Object.fromEntries(entries) as IDataObject;
}

function cleaned(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(cleaned);
	return isRecord(value) ? withoutSecrets(value) : value;
}
