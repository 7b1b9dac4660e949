import { uniq } from 'lodash';
import { extractFromAICalls, type INode } from 'n8n-workflow';
import { isRecord } from '../api/records';
import { makeUnique } from '../api/spelling';

/**
 * The keys by which a model gives values to parameters: n8n asks a model for one value per key, and gives the value
 * to all parameters with the key.
 */

/**
 * Returns the key that n8n's editor creates from a parameter's name: `Phone (home)` becomes `Phone__home_`.
 *
 * @see https://github.com/n8n-io/n8n/blob/master/packages/frontend/editor-ui/src/app/utils/fromAIOverrideUtils.ts
 */
export function computeModelKey(displayName: string): string {
	return displayName.slice(0, 63).replace(/[^a-zA-Z0-9-]/g, '_');
}

/** Numbers names that share a key: "Имя", "Дом" become "Имя", "2. Дом". The key includes the number. */
export function makeKeysUnique(displayNames: readonly string[]): string[] {
	const addCount = (name: string, count: number) => `${count}. ${name}`;
	return makeUnique(displayNames, [], { addCount, toKey: computeModelKey });
}

/** A key that several parameters share, with the names of these parameters. */
export type SharedKey = { key: string; names: string[] };

/** Finds a key that two parameters of a tool share, so that both would get the same value. */
export function findSharedKey({ parameters }: Pick<INode, 'parameters'>): SharedKey | undefined {
	const titles = collectFieldTitles(parameters.fields);
	const namesByKey = new Map<string, string[]>();
	for (const { path, key } of collectKeys(parameters)) {
		const name = titles.get(path) ?? path;
		namesByKey.set(key, [...(namesByKey.get(key) ?? []), name]);
	}
	const [sharedKey] = [...namesByKey].filter(([, names]) => names.length > 1);
	return sharedKey && { key: sharedKey[0], names: sharedKey[1] };
}

/** Collects the keys in a parameter and below it. A key that occurs twice in one expression counts once. */
function collectKeys(value: unknown, path = ''): Array<{ path: string; key: string }> {
	if (typeof value === 'string') {
		const keys = value.startsWith('=') ? extractFromAICalls(value).map(({ key }) => key) : [];
		return uniq(keys).map((key) => ({ path, key }));
	}
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([name, child]) =>
		collectKeys(child, path === '' ? name : `${path}.${name}`),
	);
}

/** Collects the names that the resource mapper shows, by the paths of their values. */
function collectFieldTitles(mapper: unknown): Map<string, string> {
	const schema = isRecord(mapper) && Array.isArray(mapper.schema) ? mapper.schema : [];
	const fields = (schema as unknown[]).filter(isRecord);
	return new Map(
		fields.map(({ id, displayName }) => [`fields.value.${String(id)}`, String(displayName)]),
	);
}
