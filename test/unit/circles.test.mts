import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/lib/paths.mts';

const IMPORT = /^(?:import|export)\b[^;]*?\bfrom '(\.[^']+)'/gm;

/** The files of the package that each one imports, also for types alone. */
function importsOfFiles(): Map<string, string[]> {
	const paths = globSync('{nodes,credentials}/**/*.ts', { cwd: root });
	return new Map(
		paths.map((path) => {
			const source = readFileSync(join(root, path), 'utf8');
			const imports = [...source.matchAll(IMPORT)].map(([, name]) => {
				const file = resolve(root, path, '..', name);
				return relative(root, existsSync(`${file}.ts`) ? `${file}.ts` : join(file, 'index.ts'));
			});
			return [path, imports];
		}),
	);
}

/** The groups of files that import one another, each sorted. */
function circlesIn(imports: ReadonlyMap<string, readonly string[]>): string[][] {
	const reached = (from: string) => {
		const found = new Set<string>();
		const open = [...(imports.get(from) ?? [])];
		for (let next = open.pop(); next !== undefined; next = open.pop()) {
			if (found.has(next)) continue;
			found.add(next);
			open.push(...(imports.get(next) ?? []));
		}
		return found;
	};
	const reach = new Map([...imports.keys()].map((path) => [path, reached(path)]));
	const groups = [...imports.keys()].map((path) =>
		[...reach.get(path)!].filter((other) => reach.get(other)?.has(path)).sort(),
	);
	const circles = groups.filter((group) => group.length > 0);
	return [...new Map(circles.map((group) => [group.join(), group])).values()];
}

describe('The files of the package', () => {
	it('are found with what they import', () => {
		const imports = importsOfFiles();
		expect(imports.size).toBeGreaterThan(50);
		for (const [path, names] of imports) {
			for (const name of names) expect(imports.has(name), `${path} imports ${name}`).toBe(true);
		}
	});

	it('import one another in no circle', () => {
		expect(circlesIn(importsOfFiles())).toEqual([]);
	});

	it('would be found in a circle', () => {
		const imports = new Map([
			['a', ['b']],
			['b', ['c']],
			['c', ['b']],
			['d', ['a', 'd']],
		]);
		expect(circlesIn(imports)).toEqual([['b', 'c'], ['d']]);
	});
});
