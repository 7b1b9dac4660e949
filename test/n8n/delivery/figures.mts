import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from './betweenWrites.mts';

/** Prints the figures of a part, and leaves them to scripts/test-n8n where it has asked for them. */
export async function report(part: string, figures: Record<string, unknown>): Promise<void> {
	console.log(`${part}\n${JSON.stringify(figures, null, 2)}`);
	const folder = process.env.FIGURES_FOLDER;
	if (!folder) return;
	await mkdir(folder, { recursive: true });
	await writeFile(join(folder, `${part}.json`), JSON.stringify(figures));
}

/** Findings of the same kind in one line: a kill can meet many responses at once. */
export function byKill(findings: readonly Finding[]): string[] {
	const groups = Map.groupBy(findings, ({ what, kill, proof }) =>
		kill === undefined ? `${what}, unexplained: ${proof}` : `${what} at kill ${kill}: ${proof}`,
	);
	return [...groups].map(
		([group, members]) => `${group} (${members.map(({ uuid }) => uuid).join(', ')})`,
	);
}
