import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mts';

const SECTION = /<!-- entries -->\n(.*?)<!-- \/entries -->/s;

/** The modules of the package that tests import by value, by their paths below nodes/FormService. */
export function importedByTests(): string[] {
	const found = globSync('test/**/*.mts', { cwd: root }).flatMap((file) => {
		const text = readFileSync(join(root, file), 'utf8');
		const imports = text.matchAll(
			/^import (?!type )[^;]*? from '[./]*nodes\/FormService\/([^']+)'/gms,
		);
		return [...imports].map(([, path]) => path);
	});
	return [...new Set(found)].sort();
}

/** The modules that docs/architecture.md lets tests call; undefined while it has no such list. */
export function listedEntries(): string[] | undefined {
	const page = readFileSync(join(root, 'docs', 'architecture.md'), 'utf8');
	const [, section] = SECTION.exec(page) ?? [];
	if (section === undefined) return undefined;
	return [...section.matchAll(/^- `([^`]+)`/gm)].map(([, path]) => path).sort();
}

if (import.meta.main) {
	const lines = importedByTests().map((path) => `- \`${path}\``);
	console.log(`<!-- entries -->\n\n${lines.join('\n')}\n\n<!-- /entries -->`);
}
