import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/lib/paths.mts';
import { filesBelow, type Packed, packAndUnpack } from './packed.mts';

let packed: Packed;
beforeAll(async () => {
	packed = await packAndUnpack();
});
afterAll(async () => await packed.remove());

/** What a source file becomes in the package. */
const built = (path: string) => `dist/${path.replace(/\.ts$/, '.js')}`;

describe('the packed package', () => {
	it('holds each source file once, compiled or copied, the papers, and nothing else', async () => {
		const sources = await Promise.all(
			['nodes', 'credentials'].map(async (folder) =>
				(await filesBelow(join(root, folder))).map((file) => built(`${folder}/${file}`)),
			),
		);
		const papers = ['LICENSE.md', 'README.md', 'package.json'];
		expect(packed.files).toEqual([...sources.flat(), ...papers].sort());
	});

	it('brings what its manifest names, and the description for n8n’s search beside each node', () => {
		const { nodes, credentials } = packed.manifest.n8n;
		const descriptions = nodes.map((path) => `${path}on`);
		expect(packed.files).toEqual(
			expect.arrayContaining([...nodes, ...credentials, ...descriptions]),
		);
	});

	it('depends on nothing but the n8n-workflow of the n8n that runs it', () => {
		expect(packed.manifest).not.toHaveProperty('dependencies');
		expect(packed.manifest).not.toHaveProperty('optionalDependencies');
		expect(packed.manifest).not.toHaveProperty('bundleDependencies');
		expect(packed.manifest).not.toHaveProperty('overrides');
		expect(packed.manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
		// npm would install a second one, with all that it needs, beside n8n's own
		expect(packed.manifest.peerDependenciesMeta).toEqual({ 'n8n-workflow': { optional: true } });
	});

	it('runs nothing when it is installed', () => {
		const lifecycle = /^(pre|post)(?!publishOnly$)|^(install|prepare|publish|dependencies)$/;
		expect(
			Object.keys(packed.manifest.scripts ?? {}).filter((name) => lifecycle.test(name)),
		).toEqual([]);
	});

	it('names no registry and no path of the machine that built it', async () => {
		for (const file of packed.files) {
			const text = await readFile(join(packed.folder, file), 'utf8');
			expect(text, file).not.toContain(root);
			expect(text, file).not.toMatch(/registry\.[a-z]/);
		}
	});
});
