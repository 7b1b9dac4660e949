import { inspect } from 'node:util';
import type { Account } from '../harness.mts';

/** Where a token would be found: in what n8n stores, in what it shows, and in all that hangs on an error. */
function textsOf(...values: unknown[]): string {
	return values
		.flatMap((value) => [
			JSON.stringify(value, allProperties()),
			inspect(value, { depth: Infinity, showHidden: true, maxStringLength: Infinity }),
		])
		.join('\n');
}

/** A replacer that goes into errors and their causes as well, and once into each object. */
function allProperties() {
	const seen = new Set<unknown>();
	return (_name: string, value: unknown): unknown => {
		if (typeof value !== 'object' || value === null) return value;
		if (seen.has(value)) return undefined;
		seen.add(value);
		if (!(value instanceof Error)) return value;
		const names = Object.getOwnPropertyNames(value) as Array<keyof Error>;
		return Object.fromEntries(names.map((name) => [name, value[name]]));
	};
}

/** What gives the token of an account away in values, and in all that hangs on them. */
export function tracesOf(
	{ accessToken }: Pick<Account, 'accessToken'>,
	...values: unknown[]
): string[] {
	const text = textsOf(...values);
	return [
		accessToken,
		Buffer.from(accessToken).toString('base64'),
		'Bearer',
		'uthorization',
	].filter((trace) => text.includes(trace));
}
