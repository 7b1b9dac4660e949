import { mapKeys, mapValues } from 'lodash';
import { isRecord } from '../api/records';

/** How states that earlier versions saved become those of today. */

/** Names of version 6 (0.1.0) and of version 7, wherever they are in a form. */
const RENAMED: Readonly<Record<string, string>> = {
	known: 'seen',
	pace: 'debt',
	all: 'fullPass',
	newest: 'newestPages',
	sweep: 'pruning',
	left: 'absence',
	readings: 'passes',
	emitSinceMs: 'backfillSinceMs',
	falls: 'descending',
	rises: 'ascending',
};

const RENAMED_ENDS: Readonly<Record<string, string>> = { first: 'firstPage', last: 'lastPage' };

/** Renames the attributes of a state that has version 6. Another value stays unchanged. */
export function renameVersion6(saved: unknown): unknown {
	if (!isRecord(saved) || saved.version !== 6 || !Array.isArray(saved.forms)) return saved;
	return { ...saved, version: 7, forms: saved.forms.map(renameAttributes) };
}

function renameAttributes(value: unknown): unknown {
	if (!isRecord(value)) return value;
	const { id, attributes, end, ...rest } = value;
	const renamed = mapKeys(mapValues(rest, renameAttributes), (_one, name) => RENAMED[name] ?? name);
	return {
		// the names of a form's own attributes are not ours
		...(id !== undefined && { id }),
		...(attributes !== undefined && { attributes }),
		...(end !== undefined && { at: RENAMED_ENDS[String(end)] }),
		...renamed,
	};
}
