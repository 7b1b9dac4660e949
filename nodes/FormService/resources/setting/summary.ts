import { shortenText } from '../../api/errors';
import { readBoolean } from '../../api/readers';
import { findSetting } from '../../api/settings/settings';
import type { Changes } from '../../api/settings/update';

/** The most characters of a value that a summary shows. */
const MAX_SHOWN = 40;

/** What an update changes in the editor's words, such as "Closed: No → Yes", or "No changes". */
export function summarizeChanges({ changes, unknown }: Changes): string {
	const known = Object.entries(changes).map(
		([name, { from, to }]) =>
			`${nameSetting(name)}: ${showValue(name, from)} → ${showValue(name, to)}`,
	);
	const sent = Object.entries(unknown).map(
		([name, value]) => `${nameSetting(name)}: ${showValue(name, value)}`,
	);
	return [...known, ...sent].join('; ') || 'No changes';
}

function nameSetting(name: string): string {
	return findSetting(name)?.displayName ?? name;
}

function showValue(name: string, value: unknown): string {
	if (value === null || value === undefined || value === '') return 'empty';
	// a service may write a boolean as 0 or 1
	const answer = findSetting(name)?.type === 'boolean' ? readBoolean(value) : undefined;
	if (answer !== undefined) return answer ? 'Yes' : 'No';
	return shortenText(typeof value === 'object' ? JSON.stringify(value) : String(value), MAX_SHOWN);
}
