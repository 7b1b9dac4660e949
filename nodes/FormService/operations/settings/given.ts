import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../../api/records';
import { settings } from '../../api/settings/settings';
import type { Setting } from '../../api/settings/settings';
import { checkSettings } from '../../api/settings/update';
import type { SettingValues } from '../../api/settings/update';
import type { Input } from '../../parameters/input';
import {
	invalidAll,
	numberAsText,
	readChoice,
	readJsonObject,
	readSwitch,
	readWords,
} from '../../parameters/input';
import { INPUT_MODES } from '../../parameters/properties';
import { listIgnored } from '../operation';

/** The names of parameters, as errors speak of them. */
export const SETTINGS_MODE = 'Specify Settings';
export const RENAME = 'Rename Forms';
export const DESCRIBE = 'Update Descriptions';

/** The settings to update of an item. */
export type GivenSettings = {
	/** By the service's names; empty if the item's input fields for settings are empty. */
	body: SettingValues;
	/** With Map Automatically: the input fields that are not used. */
	ignored: string[];
};

/**
 * Reads the settings to update of an item.
 *
 * @throws NodeOperationError that names every invalid setting
 */
export function readSettings(input: Input): GivenSettings {
	const mode = readChoice(input, 'inputMode', SETTINGS_MODE, INPUT_MODES);
	if (mode === 'auto') return readFromItem(input);
	const body =
		mode === 'json'
			? checkBody(input, readJsonObject(input, 'settingsJson', 'Settings (JSON)'))
			: readFromFields(input);
	if (Object.keys(body).length > 0) return { body, ignored: [] };
	throw invalidAll(input, ['There is no setting to update. Add at least one.']);
}

const byName = new Map(settings.map((setting) => [setting.name, setting]));

/** The values of the collection. A field that was added and left empty changes nothing. */
function readFromFields(input: Input): SettingValues {
	const given = input.parameter<unknown>('settings', {});
	if (!isRecord(given)) throw invalidAll(input, ["'Settings' must be an object."]);
	const values = Object.entries(given).filter(([, value]) => value !== '' && value !== undefined);
	// turns the gaps of a sparse list into entries
	const clear = Array.from(readWords(input, 'clear', 'Settings to Clear'));
	const titles = new Map(settings.map(({ name, displayName }) => [name, displayName]));
	const both = values.map(([name]) => name).filter((name) => clear.includes(name));
	const problems = both.map(
		(name) => `'${titles.get(name) ?? name}' is both set and cleared. Remove one of the two.`,
	);
	const entries = [...values, ...clear.map((name) => [name, null] as const)];
	const once = entries.filter(([name]) => !both.includes(name));
	return checkBody(input, Object.fromEntries(once), titles, problems);
}

/**
 * The fields of the input item that match a setting, such as the columns of a sheet. An empty field leaves
 * its setting unchanged. Columns called "name" and "description" usually identify the form, so they count
 * only with their switches.
 */
function readFromItem(input: Input): GivenSettings {
	const switches: Record<string, boolean> = {
		name: readSwitch(input, 'renameForms', RENAME, false),
		description: readSwitch(input, 'updateDescriptions', DESCRIBE, false),
	};
	const titles = new Map<string, string>();
	const values: IDataObject = {};
	const unused: string[] = [];
	const problems: string[] = [];
	const columns = Object.entries(input.item.json);
	for (const [title, value] of columns) {
		const name = bySpelling.get(simplifySpelling(title))?.name;
		if (name === undefined || switches[name] === false) {
			unused.push(title);
			continue;
		}
		if (value === undefined || value === null || String(value).trim() === '') continue;
		const other = titles.get(name);
		if (other !== undefined) {
			problems.push(
				`'${other}' and '${title}' match the same setting. Remove or empty one of them.`,
			);
		}
		titles.set(name, title);
		values[name] = value;
	}
	const body = checkBody(input, values, titles, problems);
	if (unused.length < columns.length) return { body, ignored: listIgnored(input, unused) };
	const names = unused.map((title) => title.trim().toLowerCase());
	const hints = [
		names.includes('name') ? ` To use 'name', turn on '${RENAME}'.` : '',
		names.includes('description') ? ` To use 'description', turn on '${DESCRIBE}'.` : '',
	];
	const help = ["Name an input field after a setting, such as 'is_closed'."];
	throw invalidAll(input, [`No input field matches a setting.${hints.join('')}`], undefined, help);
}

/**
 * Checks the settings. A field or a cell for text takes a number as text; JSON doesn't.
 *
 * @param titles the names of the settings in the editor or of the columns; undefined for JSON
 * @param others what else is wrong with the item, in sentences
 */
function checkBody(
	input: Input,
	values: Record<string, unknown>,
	titles?: ReadonlyMap<string, string>,
	others: readonly string[] = [],
): SettingValues {
	const entries = Object.entries(values).map(([name, value]) => {
		const isText = titles !== undefined && byName.get(name)?.type === 'text';
		return [name, isText ? (numberAsText(value) ?? value) : value];
	});
	const { body, problems } = checkSettings(Object.fromEntries(entries), titles);
	const texts = [...others, ...problems.map(({ text }) => text)];
	if (texts.length > 0) throw invalidAll(input, texts, "settings can't be updated");
	return body;
}

/** The settings by the service's names and the editor's. */
const bySpelling: ReadonlyMap<string, Setting> = new Map(
	settings.flatMap((setting) =>
		[setting.name, setting.displayName].map((name) => [simplifySpelling(name), setting] as const),
	),
);

/** The letters and digits of a name: "SEO: Title", "seo_title" and "seo title" are one name. */
function simplifySpelling(name: string): string {
	return name
		.normalize('NFKC')
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]/gu, '');
}
