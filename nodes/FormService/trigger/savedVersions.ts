import { mapKeys, mapValues } from 'lodash';
import { isRecord } from '../api/records';

/* Converts states that earlier versions of the package saved. */

/**
 * The attributes that version 7 of the saved state has renamed: `known` → `seen`. Version 0.1.0 of the package saved
 * states of version 6.
 */
const RENAMED: Readonly<Record<string, string>> = {
	known: 'seen',
	pace: 'debt',
	all: 'fullPass',
	newest: 'newestPages',
	sweep: 'pruning',
	left: 'absence',
	readings: 'passes',
	falls: 'descending',
	rises: 'ascending',
};

const RENAMED_ENDS: Readonly<Record<string, string>> = { first: 'firstPage', last: 'lastPage' };

/** Converts a state of version 6 to version 7 by renaming attributes. Returns any other value unchanged. */
export function renameVersion6(saved: unknown): unknown {
	if (!isRecord(saved) || saved.version !== 6 || !Array.isArray(saved.forms)) return saved;
	return { ...saved, version: 7, forms: saved.forms.map(renameAttributes) };
}

function renameAttributes(value: unknown): unknown {
	if (!isRecord(value)) return value;
	const { id, attributes, end, emitSinceMs, ...unchanged } = value;
	const values = mapValues(unchanged, renameAttributes);
	const renamed = mapKeys(values, (_value, name) => RENAMED[name] ?? name);
	return {
		// leave `attributes` unchanged, because its names come from the service
		...(id !== undefined && { id }),
		...(attributes !== undefined && { attributes }),
		...(end !== undefined && { at: RENAMED_ENDS[String(end)] }),
		// in version 6, 0 meant all
		...(emitSinceMs !== undefined && {
			backfill: emitSinceMs === 0 ? 'all' : { sinceMs: emitSinceMs },
		}),
		...renamed,
	};
}
