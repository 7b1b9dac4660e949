import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from './paths.mts';

/** Formats a document in the project's style. */
export async function formatMarkdown(text: string): Promise<string> {
	const style = await resolveConfig(join(root, 'README.md'));
	return await format(text, { ...style, parser: 'markdown' });
}

/** Renders a Markdown table. */
export function renderTable(head: string[], rows: string[][]): string {
	const lines = [head, head.map(() => '---'), ...rows];
	return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
