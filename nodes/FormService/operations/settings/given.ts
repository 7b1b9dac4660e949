import { isEmpty } from 'lodash';
import { isRecord } from '../../api/records';
import { settings } from '../../api/settings/settings';
import { encodeSettings } from '../../api/settings/update';
import type { GivenSetting, SettingValues } from '../../api/settings/update';
import type { Input } from '../../parameters/input';
import {
	invalid,
	invalidAll,
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
	const given = mode === 'json' ? readFromJson(input) : readFromFields(input);
	const body = encode(input, given);
	if (isEmpty(body)) throw invalid(input, 'There is no setting to update. Add at least one');
	return { body, ignored: [] };
}

function encode(input: Input, given: readonly GivenSetting[]): SettingValues {
	const { body, problems } = encodeSettings(given);
	if (problems.length > 0) throw invalidAll(input, problems, "settings can't be updated");
	return body;
}

function readFromJson(input: Input): GivenSetting[] {
	const values = readJsonObject(input, 'settingsJson', 'Settings (JSON)');
	return Object.entries(values).map(([name, value]) => ({ title: name, name, value }));
}

const titles = new Map(settings.map(({ name, displayName }) => [name, displayName]));

/** The values of the collection. A field that was added and left empty changes nothing. */
function readFromFields(input: Input): GivenSetting[] {
	const given = input.parameter('settings', {});
	if (!isRecord(given)) throw invalid(input, "'Settings' must be an object");
	const values = Object.entries(given).filter(([, value]) => value !== '');
	const cleared = readWords(input, 'clear', 'Settings to Clear').map(
		(name) => [name, null] as const,
	);
	return [...values, ...cleared].map(([name, value]) => {
		return { title: titles.get(name) ?? name, name, value };
	});
}

/** The settings by the service's names and the editor's. */
const bySpelling: ReadonlyMap<string, string> = new Map(
	settings.flatMap(({ name, displayName }) =>
		[name, displayName].map((spelling) => [simplifySpelling(spelling), name] as const),
	),
);

/** The letters and digits of a name: "SEO: Title", "seo_title" and "seo title" are one name. */
function simplifySpelling(name: string): string {
	return name
		.normalize('NFKC')
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]/gu, '');
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
	const given: GivenSetting[] = [];
	const unused: string[] = [];
	for (const [title, value] of Object.entries(input.item.json)) {
		const name = bySpelling.get(simplifySpelling(title));
		if (name === undefined || switches[name] === false) unused.push(title);
		else given.push({ title, name, value });
	}
	if (given.length === 0) {
		const switched = { name: RENAME, description: DESCRIBE };
		const hints = Object.entries(switched)
			.filter(([name]) => unused.some((title) => simplifySpelling(title) === name))
			.map(([name, title]) => ` To use '${name}', turn on '${title}'.`);
		const problem = `No input field matches a setting.${hints.join('')}`;
		const help = ["Name an input field after a setting, such as 'is_closed'."];
		throw invalidAll(input, [problem], '', help);
	}
	const filled = given.filter(({ value }) => String(value ?? '').trim() !== '');
	return { body: encode(input, filled), ignored: listIgnored(input, unused) };
}
