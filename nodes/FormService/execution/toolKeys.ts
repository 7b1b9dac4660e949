import { groupBy, some, uniq } from 'lodash';
import { extractFromAICalls, FROM_AI_AUTO_GENERATED_MARKER, type INode } from 'n8n-workflow';
import { isRecord } from '../api/records';
import { makeUnique } from '../api/spelling';

/*
 * The keys of the values that a model sets. n8n asks a model for one value per key. If several parameters have
 * the same key, they all get the same value.
 */

/**
 * Returns the key that n8n's editor creates from the name of a parameter: `Phone (home)` → `Phone__home_`.
 *
 * @see
 * https://github.com/n8n-io/n8n/blob/master/packages/frontend/editor-ui/src/app/utils/fromAIOverrideUtils.ts
 */
export function computeModelKey(displayName: string): string {
	return displayName.slice(0, 63).replace(/[^a-zA-Z0-9-]/g, '_');
}

/**
 * Makes the keys of names unique by adding numbers to the names. "Имя" and "Дом" have the same key `___`, so
 * the names become "Имя" and "2. Дом".
 */
export function makeKeysUnique(displayNames: readonly string[]): string[] {
	const addCount = (name: string, count: number) => `${count}. ${name}`;
	return makeUnique(displayNames, [], { addCount, toKey: computeModelKey });
}

/** A key that several parameters share, and the names of these parameters. */
export type KeyConflict = { key: string; names: string[] };

/**
 * Finds a key that several parameters of a tool share. A model would give these parameters the same value.
 * Ignores a key that the user wrote in each of the parameters, because the user wants the same value.
 */
export function findKeyConflict({
	parameters,
}: Pick<INode, 'parameters'>): KeyConflict | undefined {
	const titles = collectFieldTitles(parameters.fields);
	const groups = Object.entries(groupBy(collectKeys(parameters), 'key'));
	const sharing = groups.find(([, uses]) => uses.length > 1 && some(uses, 'isGenerated'));
	if (sharing === undefined) return undefined;
	const [key, uses] = sharing;
	return { key, names: uses.map(({ path }) => titles.get(path) ?? path) };
}

/** A key in a parameter. `isGenerated` is true if n8n's editor wrote the key when the user clicked ✨. */
type KeyUse = { key: string; path: string; isGenerated: boolean };

/**
 * Returns the keys in a parameter and in its parts. If an expression uses a key twice, returns the key once.
 */
function collectKeys(value: unknown, path = ''): KeyUse[] {
	if (typeof value === 'string') {
		const keys = value.startsWith('=') ? extractFromAICalls(value).map(({ key }) => key) : [];
		const isGenerated = value.includes(FROM_AI_AUTO_GENERATED_MARKER);
		return uniq(keys).map((key) => ({ key, path, isGenerated }));
	}
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([name, child]) =>
		collectKeys(child, path === '' ? name : `${path}.${name}`),
	);
}

/**
 * Returns the names of fields that the resource mapper shows, for use in errors. The key of a name is the path of
 * the field's value: `fields.value.9b1f…` → `Comment`.
 */
function collectFieldTitles(mapper: unknown): Map<string, string> {
	const schema = isRecord(mapper) && Array.isArray(mapper.schema) ? mapper.schema : [];
	const fields = (schema as unknown[]).filter(isRecord);
	return new Map(
		fields.map(({ id, displayName }) => [`fields.value.${String(id)}`, String(displayName)]),
	);
}
