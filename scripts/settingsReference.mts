/**
 * Writes docs/settings.md from the settings that the node knows. Run it after a change:
 * node scripts/settingsReference.mts
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import { boundOf } from '../nodes/FormService/api/settings/setting.ts';
import { settings } from '../nodes/FormService/api/settings/settings.ts';

export const settingsReferenceFile = new URL('../docs/settings.md', import.meta.url);

/** The whole page, as Markdown. */
export async function settingsReference(): Promise<string> {
	const rows = settings.map((setting) => {
		const { name, displayName, description } = setting;
		return `| \`${name}\` | ${displayName} | ${boundOf(setting)} | ${description} |`;
	});
	const page = [
		'# Settings of a form',
		`The ${settings.length} settings that Setting: Update takes. Any subset can be sent; all others stay as they are.`,
		'As fields, choose them by the name in the editor, and under Clear those to set to null. As JSON, use the service\'s name: `{"is_closed": true, "closed_message": null}`. Where an expression gives null to a field of text, n8n makes it empty text: use Clear. A value that does not fit is refused before anything is sent. Items for the same form are sent one after the other, in their order.',
		['| Setting | In the editor | Takes | What it is |', '| --- | --- | --- | --- |', ...rows].join(
			'\n',
		),
		'Written by `node scripts/settingsReference.mts` from nodes/FormService/api/settings/settings.ts.',
	];
	return await format(page.join('\n\n'), { parser: 'markdown' });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	mkdirSync(new URL('.', settingsReferenceFile), { recursive: true });
	writeFileSync(settingsReferenceFile, await settingsReference());
}
