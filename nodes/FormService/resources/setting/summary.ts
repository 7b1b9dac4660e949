import { truncateText } from '../../api/errorTexts';
import { parseBoolean } from '../../api/parseValues';
import { findSetting, findSimilarSettingName } from '../../settings/settings';
import { toStoredValue, type SettingChanges } from '../../settings/values';

/** The maximum number of characters of a value in a summary. */
const MAX_LENGTH = 40;

/**
 * Describes an update with the names of settings in the editor: "Closed: No → Yes. Not used: Closed mesage
 * (Closed: Message?)".
 *
 * @param unusedNames the names of input fields that have a value and are not used
 */
export function summarizeUpdate(changes: SettingChanges, unusedNames: readonly string[]): string {
	const parts = Object.entries(changes).map(([name, { from, to }]) => {
		const [before, after] = formatChange(name, from, to);
		const start = from === undefined ? '' : `${before} → `;
		return `${findSetting(name)?.displayName ?? name}: ${start}${after}`;
	});
	const summary = parts.join('; ') || 'No changes';
	const unused = unusedNames.map((name) => {
		const similarName = findSimilarSettingName(name);
		return truncateText(name, MAX_LENGTH) + (similarName === undefined ? '' : ` (${similarName}?)`);
	});
	return unused.length === 0 ? summary : `${summary}. Not used: ${unused.join(', ')}`;
}

/**
 * Formats the values before and after a change. If two long values start alike, shows the part where the values
 * differ.
 */
function formatChange(name: string, from: unknown, to: unknown): [from: string, to: string] {
	const texts = [from, to].map((value) => formatValue(name, value)) as [string, string];
	if (texts[0] !== texts[1]) return texts;
	const before = [...escapeBlanks(toText(from))];
	const after = [...escapeBlanks(toText(to))];
	const difference = before.findIndex((character, index) => character !== after[index]);
	const start = Math.max(0, (difference < 0 ? before.length : difference) - MAX_LENGTH / 4);
	const end = start + MAX_LENGTH;
	const cut = (characters: readonly string[]) =>
		`${start > 0 ? '…' : ''}${characters.slice(start, end).join('')}${characters.length > end ? '…' : ''}`;
	return [cut(before), cut(after)];
}

function formatValue(name: string, value: unknown): string {
	if (toStoredValue(value) === null) return 'empty';
	// the service may send a boolean as 0 or 1
	const isOn = findSetting(name)?.type === 'boolean' ? parseBoolean(value) : undefined;
	if (isOn !== undefined) return isOn ? 'Yes' : 'No';
	return truncateText(toText(value), MAX_LENGTH);
}

function toText(value: unknown): string {
	return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Replaces invisible characters, special whitespace and repeated blanks with codes: a no-break space → `\u00a0`. */
function escapeBlanks(text: string): string {
	return text.replace(/[^\S ]|\p{Cf}|(?<= ) /gu, (character) => {
		return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
	});
}
