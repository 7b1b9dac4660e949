import { shortenText } from '../../api/errors';
import { readBoolean } from '../../api/readers';
import { findSetting } from '../../api/settings/settings';
import type { Changes } from '../../api/settings/update';

/** The most characters of a value that a summary shows. */
const MAX_SHOWN = 40;

/** What an update changes in the editor's words, such as "Closed: No → Yes", or "No changes". */
export function summarizeChanges(changes: Changes): string {
	const parts = Object.entries(changes).map(([name, { from, to }]) => {
		const start = from === undefined ? '' : `${showValue(name, from)} → `;
		return `${findSetting(name)?.displayName ?? name}: ${start}${showValue(name, to)}`;
	});
	return parts.join('; ') || 'No changes';
}

function showValue(name: string, value: unknown): string {
	if (value === null || value === '') return 'empty';
	// a service may write a boolean as 0 or 1
	const answer = findSetting(name)?.type === 'boolean' ? readBoolean(value) : undefined;
	if (answer !== undefined) return answer ? 'Yes' : 'No';
	return shortenText(typeof value === 'object' ? JSON.stringify(value) : String(value), MAX_SHOWN);
}
