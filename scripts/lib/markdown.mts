import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from './paths.mts';

export async function formatMarkdown(text: string): Promise<string> {
	const style = await resolveConfig(join(root, 'README.md'));
	return await format(text, { ...style, parser: 'markdown' });
}

/** Replaces what stands between two comments of a document. */
export function replaceSection(text: string, name: string, content: string): string {
	const comments = new RegExp(`<!-- ${name} -->.*<!-- /${name} -->`, 's');
	if (!comments.test(text)) throw new Error(`There is no place for ${name}.`);
	return text.replace(comments, () => `<!-- ${name} -->\n\n${content}\n\n<!-- /${name} -->`);
}

export function renderTable(head: string[], rows: string[][]): string {
	const lines = [head, head.map(() => '---'), ...rows];
	return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
