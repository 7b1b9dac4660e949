import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installOnce } from '../../scripts/lib/cache.mts';
import { run } from '../../scripts/lib/command.mts';
import { pack } from '../../scripts/lib/packedPackage.mts';
import { root, temporaryFolder } from '../../scripts/lib/paths.mts';

// the scanner's rules take every file for a node when they are themselves under test
process.env.NODE_ENV = 'production';

type Manifest = {
	scripts?: Record<string, string>;
	peerDependencies?: Record<string, string>;
	peerDependenciesMeta?: object;
	n8n: { nodes: string[]; credentials: string[] };
};

type Scanner = {
	analyzePackage(
		folder: string,
		patterns: string[],
	): Promise<{ passed: boolean; message?: string; details?: string }>;
	SOURCE_FILE_PATTERNS: string[];
};

async function listFiles(folder: string): Promise<string[]> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile());
	return files.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).sort();
}

const cleanup = new AsyncDisposableStack();
let folder: string;
let files: string[];
let manifest: Manifest;

beforeAll(async () => {
	const base = await temporaryFolder('package', cleanup);
	const tarball = await pack(join(base, 'packed'));
	await run('tar', ['-xzf', tarball, '-C', base]);
	folder = join(base, 'package');
	files = await listFiles(folder);
	manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
});
afterAll(async () => await cleanup.disposeAsync());

describe('the packed package', () => {
	it('has each source file once, compiled or copied, the documents, and nothing else', async () => {
		const listBuilt = async (source: string) =>
			(await listFiles(join(root, source))).map(
				(file) => `dist/${source}/${file.replace(/\.ts$/, '.js')}`,
			);
		const built = [...(await listBuilt('nodes')), ...(await listBuilt('credentials'))];
		expect(files).toEqual([...built, 'LICENSE.md', 'README.md', 'package.json'].sort());
	});

	it('has what its manifest names, and the description for n8n’s search beside each node', () => {
		const { nodes, credentials } = manifest.n8n;
		const named = [...nodes, ...credentials, ...nodes.map((path) => `${path}on`)];
		expect(files).toEqual(expect.arrayContaining(named));
	});

	it('depends on nothing but the n8n-workflow of the n8n that runs it', () => {
		const kinds = Object.keys(manifest).filter((key) => /dependencies|overrides/i.test(key));
		expect(kinds.sort()).toEqual(['devDependencies', 'peerDependencies', 'peerDependenciesMeta']);
		expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
		// otherwise, npm would install a second n8n-workflow, with all that it needs, beside n8n's own
		expect(manifest.peerDependenciesMeta).toEqual({ 'n8n-workflow': { optional: true } });
	});

	it('runs nothing when it is installed', () => {
		const lifecycle = /^(pre|post)(?!publishOnly$)|^(install|prepare|publish|dependencies)$/;
		const scripts = Object.keys(manifest.scripts ?? {});
		expect(scripts.filter((name) => lifecycle.test(name))).toEqual([]);
	});
});

it('n8n’s scan before a package is verified, which ignores disabled rules, passes source and package', async () => {
	const title = 'n8n’s scanner of packages (once, needs the network)';
	const path = 'node_modules/@n8n/scan-community-package/scanner/scanner.mjs';
	const scanner = (await import(join(await installOnce('scanner', title), path))) as Scanner;
	const results = [
		await scanner.analyzePackage(root, scanner.SOURCE_FILE_PATTERNS),
		await scanner.analyzePackage(folder, ['**/*.js', 'package.json']),
	];
	for (const { passed, details, message } of results) {
		expect(passed, details ?? message).toBe(true);
	}
}, 300_000);
