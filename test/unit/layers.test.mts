import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/lib/paths.mts';

const IMPORT = /^(?:import|export)\b[^;]*?\bfrom '(\.[^']+)'/gm;

/** The files of the package that a file imports, also for types alone. */
function listImports(path: string): string[] {
	const source = readFileSync(join(root, path), 'utf8');
	const files = [...source.matchAll(IMPORT)].map(([, name]) => join(path, '..', name));
	return files.map((file) =>
		existsSync(join(root, `${file}.ts`)) ? `${file}.ts` : `${file}/index.ts`,
	);
}

it('imports point down the layers of docs/architecture.md', () => {
	const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
	const layers = Array.from(text.matchAll(/^ {2}(\w+)\/ /gm), ([, folder]) => folder);
	const folders = globSync('nodes/FormService/[a-z]*/', { cwd: root }).map((path) =>
		basename(path),
	);
	expect(layers.toSorted()).toEqual(folders.toSorted());
	const getLayer = (path: string) => layers.indexOf(path.split('/')[2]);
	const paths = globSync('nodes/FormService/**/*.ts', { cwd: root });
	const upward = paths.flatMap((path) =>
		listImports(path)
			.filter((imported) => getLayer(imported) < getLayer(path))
			.map((imported) => `${path} imports ${imported}`),
	);
	expect(upward).toEqual([]);
});
