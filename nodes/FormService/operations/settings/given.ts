import { mapValues } from 'lodash';
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

/** The names of parameters, as errors speak of them. */
export const SETTINGS_MODE = 'Specify Settings';
export const RENAME = 'Rename Forms';
export const DESCRIBE = 'Update Descriptions';

/** The settings to update of an item. */
export type GivenSettings = {
	/** By the service's names; empty if the item's input fields for settings are empty. */
	body: SettingValues;
	/** With Map Automatically: the input fields that are not used. */
	ignored?: string[];
};

/**
 * Reads the settings to update of an item.
 *
 * @throws NodeOperationError that names every invalid setting
 */
export function readSettings(input: Input): GivenSettings {
	const mode = readChoice(input, 'inputMode', SETTINGS_MODE, ['fields', 'auto', 'json']);
	if (mode === 'auto') return fromItem(input);
	const body =
		mode === 'json'
			? checked(input, readJsonObject(input, 'settingsJson', 'Settings (JSON)'))
			: fromFields(input);
	if (Object.keys(body).length > 0) return { body };
	throw invalidAll(input, ['There is no setting to update. Add at least one.']);
}

const editorTitles = new Map(settings.map(({ name, displayName }) => [name, displayName]));

/** The values of the collection. A field that was added and left empty changes nothing. */
function fromFields(input: Input): SettingValues {
	const given = input.parameter<unknown>('settings', {});
	if (!isRecord(given)) throw invalidAll(input, ["'Settings' must be an object."]);
	const values = Object.entries(given).filter(([, value]) => value !== '' && value !== undefined);
	// turns the gaps of a sparse list into entries
	const clear = Array.from(readWords(input, 'clear', 'Settings to Clear'));
	const both = values.map(([name]) => name).filter((name) => clear.includes(name));
	const entries = [...values, ...clear.map((name) => [name, null] as const)];
	return checked(
		input,
		numbersAsText(Object.fromEntries(entries.filter(([name]) => !both.includes(name)))),
		editorTitles,
		both.map(
			(name) =>
				`'${editorTitles.get(name) ?? name}' is both set and cleared. Remove one of the two.`,
		),
	);
}

/**
 * The fields of the input item that match a setting, such as the columns of a sheet. An empty field leaves
 * its setting unchanged. Columns called "name" and "description" usually identify the form, so they count
 * only with their switches.
 */
function fromItem(input: Input): GivenSettings {
	const renames = readSwitch(input, 'renameForms', RENAME, false);
	const describes = readSwitch(input, 'updateDescriptions', DESCRIBE, false);
	const counting = new Map(
		[...bySpelling].filter(
			([, { name }]) => (name !== 'name' || renames) && (name !== 'description' || describes),
		),
	);
	const titles = new Map<string, string>();
	const values: IDataObject = {};
	const ignored: string[] = [];
	const problems: string[] = [];
	const columns = Object.entries(input.item.json);
	for (const [title, value] of columns) {
		const setting = counting.get(spellingOf(title));
		const isEmpty = value === undefined || value === null || String(value).trim() === '';
		if (setting === undefined) ignored.push(title);
		if (isEmpty) continue;
		if (setting !== undefined) {
			const other = titles.get(setting.name);
			if (other !== undefined) {
				problems.push(
					`'${other}' and '${title}' match the same setting. Remove or empty one of them.`,
				);
			}
			titles.set(setting.name, title);
			values[setting.name] = value;
		} else if (!bySpelling.has(spellingOf(title))) {
			const meant = nearlyNamed(title, counting)?.name;
			if (meant !== undefined) {
				problems.push(
					`'${title}' is not a setting. Did you mean '${meant}'? Rename the input field or remove it.`,
				);
			}
		}
	}
	const body = checked(input, numbersAsText(values), titles, problems);
	if (ignored.length < columns.length) return { body, ignored };
	const isThere = (name: string) => ignored.some((title) => title.trim().toLowerCase() === name);
	const hints = [
		isThere('name') ? ` To use 'name', turn on '${RENAME}'.` : '',
		isThere('description') ? ` To use 'description', turn on '${DESCRIBE}'.` : '',
	];
	const help = ["Name an input field after a setting, such as 'is_closed'."];
	throw invalidAll(input, [`No input field matches a setting.${hints.join('')}`], undefined, help);
}

/** @param others what else is wrong with the item, in sentences */
function checked(
	input: Input,
	values: Record<string, unknown>,
	titles?: ReadonlyMap<string, string>,
	others: readonly string[] = [],
): SettingValues {
	const { body, problems } = checkSettings(values, titles);
	const texts = [...others, ...problems.map(({ text }) => text)];
	if (texts.length > 0) throw invalidAll(input, texts, "settings can't be updated");
	return body;
}

const textSettings = new Set(
	settings.filter(({ type }) => type === 'text').map(({ name }) => name),
);

/** A field or a cell for text takes a number as text. */
function numbersAsText(values: Record<string, unknown>): Record<string, unknown> {
	return mapValues(values, (value, name) =>
		textSettings.has(name) ? (numberAsText(value) ?? value) : value,
	);
}

/** The settings by the service's names and the editor's. */
const bySpelling: ReadonlyMap<string, Setting> = new Map(
	settings.flatMap((setting) =>
		[setting.name, setting.displayName].map((name) => [spellingOf(name), setting] as const),
	),
);

/** The letters and digits of a name: "SEO: Title", "seo_title" and "seo title" are one name. */
function spellingOf(name: string): string {
	return name
		.normalize('NFKC')
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]/gu, '');
}

/** Unrelated shorter names can differ by one letter. */
const MIN_LENGTH = 6;

/** The setting whose name is misspelled by one letter: missing, added, another, or in another place. */
function nearlyNamed(title: string, counting: ReadonlyMap<string, Setting>): Setting | undefined {
	const given = spellingOf(title);
	if (given.length < MIN_LENGTH) return undefined;
	const shorter = new Set(withoutOneLetter(given));
	const isNear = ([spelling]: [string, Setting]) =>
		spelling.length >= MIN_LENGTH && withoutOneLetter(spelling).some((one) => shorter.has(one));
	return [...counting].find(isNear)?.[1];
}

/** A name, and the name without each of its letters. */
function withoutOneLetter(name: string): string[] {
	return [name, ...Array.from(name, (_, at) => name.slice(0, at) + name.slice(at + 1))];
}
