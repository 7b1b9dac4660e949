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

	it('brings the nodes and credentials that its manifest names', () => {
		const { nodes, credentials } = packed.manifest.n8n;
		expect(packed.files).toEqual(expect.arrayContaining([...nodes, ...credentials]));
	});

	it('brings the description for n8n’s search beside each node', () => {
		const descriptions = packed.manifest.n8n.nodes.map((path) => `${path}on`);
		expect(packed.files).toEqual(expect.arrayContaining(descriptions));
	});

	it('depends on nothing but the n8n-workflow of the n8n that runs it', () => {
		expect(packed.manifest).not.toHaveProperty('dependencies');
		expect(packed.manifest).not.toHaveProperty('optionalDependencies');
		expect(packed.manifest).not.toHaveProperty('bundleDependencies');
		expect(packed.manifest).not.toHaveProperty('overrides');
		expect(packed.manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
	});

	it('runs nothing when it is installed or published', () => {
		const lifecycle = /^(pre|post)|^(install|prepare|publish|prepublishOnly|dependencies)$/;
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

	it('has its version in the change log', async () => {
		const log = await readFile(join(root, 'CHANGELOG.md'), 'utf8');
		expect(log).toContain(`## ${packed.manifest.version}`);
	});
});
