import { createRequire } from 'node:module';
import { format } from 'prettier';
import type * as Settings from '../nodes/FormService/api/settings/settings.ts';
import { compiledSources } from './lib/compiled.mts';

const { boundOf, settings } = createRequire(`${compiledSources()}/`)(
	'./nodes/FormService/api/settings/settings.js',
) as typeof Settings;

export const settingsReferenceFile = new URL('../docs/settings.md', import.meta.url);

/** docs/settings.md, from the settings that the node knows. */
export async function settingsReference(): Promise<string> {
	const rows = settings.map((setting) => {
		const { name, displayName, description, nullable } = setting;
		const takes = `${boundOf(setting)}${nullable ? ', or null' : ''}`;
		return `| \`${name}\` | ${displayName} | ${takes} | ${description} |`;
	});
	const page = [
		'# Settings of a form',
		`The ${settings.length} settings that Setting: Update takes. Any subset can be sent; all others stay as they are.`,
		'As fields, choose them by the name in the editor; a field that was added and left empty changes nothing. Settings to set to null are chosen in _Settings to Clear_. As JSON, use the service\'s name: `{"is_closed": true, "closed_message": null}`. An expression that gives null clears the setting too; one that gives undefined leaves it as it is. A value that does not fit is refused before anything is sent, and names are trimmed. Items for the same form are sent one after the other, in the order of the input.',
		'## Many forms from a sheet',
		'**Map Automatically** takes the fields of each input item that match a setting, by its name in the editor or in the API: a sheet with a row for each form, its ID and some of these columns is handled by one node. Case, blanks and punctuation make no difference: `seo_title`, "SEO: Title" and "seo title" are one setting. An empty cell leaves its setting as it is. Switches take true and false, yes and no, on and off, 1 and 0.',
		'Columns called "name" and "description" usually identify the form, so they change the form only with _Rename Forms_ and _Update Descriptions_. Other columns are ignored, and each item lists them as `ignored`. These are errors: a column that misspells a setting by a letter, two columns with a value for one setting, and an item without any column for a setting. If rows are wrong, nothing is sent, and the error lists all of them.',
		'**Preview** (in the options) updates nothing. Each item shows `changes` as `{setting: {from, to}}`, and `unknown` for settings whose present value the service does not show. It costs one request per run.',
		'**Skip Unchanged** sends only changed settings and skips forms that are already up to date: such an item has the `status` skipped. Settings that the service does not show are always sent. It costs one more request per run: 150 forms of which ten differ take 11, and one when run again. Changes that others make during the run are not seen.',
		'Each item says what was done: its `status` is updated, skipped or preview, and `changes` has what was sent.',
		'## All settings',
		['| Setting | In the editor | Takes | What it is |', '| --- | --- | --- | --- |', ...rows].join(
			'\n',
		),
		'Written by `npm run generate` from nodes/FormService/api/settings/settings.ts.',
	];
	return await format(page.join('\n\n'), { parser: 'markdown' });
}
