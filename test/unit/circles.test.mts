import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/lib/paths.mts';

const IMPORT = /^(?:import|export)\b[^;]*?\bfrom '(\.[^']+)'/gm;

/** The files of the package that a file imports, also for types alone. */
function listImports(path: string): string[] {
	const source = readFileSync(join(root, path), 'utf8');
	return [...source.matchAll(IMPORT)].map(([, name]) => {
		const file = resolve(root, path, '..', name);
		return relative(root, existsSync(`${file}.ts`) ? `${file}.ts` : join(file, 'index.ts'));
	});
}

it('no file of the package imports itself through others', () => {
	const paths = globSync('{nodes,credentials}/**/*.ts', { cwd: root });
	const done = new Set<string>();
	function findCircle(path: string, trail: string[] = []): string[] | undefined {
		if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
		if (done.has(path)) return undefined;
		const circles = listImports(path).map((name) => findCircle(name, [...trail, path]));
		done.add(path);
		return circles.find(Boolean);
	}
	expect(paths.map((path) => findCircle(path)).find(Boolean)).toBeUndefined();
	expect(done.size).toBeGreaterThan(50);
});
