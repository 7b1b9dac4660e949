import { inspect } from 'node:util';
import { jsonStringify } from 'n8n-workflow';
import type { Account } from '../harness.mts';

const EVERYTHING = {
	depth: Infinity,
	showHidden: true,
	getters: true,
	maxStringLength: Infinity,
	maxArrayLength: Infinity,
};

/** What gives the token of an account away in values, as n8n stores them, and in all that hangs on them. */
export function tracesOf(
	{ accessToken }: Pick<Account, 'accessToken'>,
	...values: unknown[]
): string[] {
	const text = jsonStringify(values, { replaceCircularRefs: true }) + inspect(values, EVERYTHING);
	const encoded = Buffer.from(accessToken).toString('base64');
	return [accessToken, encoded, 'Bearer', 'uthorization'].filter((trace) => text.includes(trace));
}
