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

describe('the packed package', () => {
	it('has each source file once, compiled or copied, the documents, and nothing else', async () => {
		const listBuilt = async (folder: string) =>
			(await filesBelow(join(root, folder))).map(
				(file) => `dist/${folder}/${file.replace(/\.ts$/, '.js')}`,
			);
		const built = [...(await listBuilt('nodes')), ...(await listBuilt('credentials'))];
		expect(packed.files).toEqual([...built, 'LICENSE.md', 'README.md', 'package.json'].sort());
	});

	it('has what its manifest names, and the description for n8n’s search beside each node', () => {
		const { nodes, credentials } = packed.manifest.n8n;
		const named = [...nodes, ...credentials, ...nodes.map((path) => `${path}on`)];
		expect(packed.files).toEqual(expect.arrayContaining(named));
	});

	it('depends on nothing but the n8n-workflow of the n8n that runs it', () => {
		const kinds = Object.keys(packed.manifest).filter((key) => /dependencies|overrides/i.test(key));
		expect(kinds.sort()).toEqual(['devDependencies', 'peerDependencies', 'peerDependenciesMeta']);
		expect(packed.manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
		// otherwise, npm would install a second n8n-workflow, with all that it needs, beside n8n's own
		expect(packed.manifest.peerDependenciesMeta).toEqual({ 'n8n-workflow': { optional: true } });
	});

	it('runs nothing when it is installed', () => {
		const lifecycle = /^(pre|post)(?!publishOnly$)|^(install|prepare|publish|dependencies)$/;
		const scripts = Object.keys(packed.manifest.scripts ?? {});
		expect(scripts.filter((name) => lifecycle.test(name))).toEqual([]);
	});

	it('names no registry and no path of the machine that built it', async () => {
		for (const file of packed.files) {
			const text = await readFile(join(packed.folder, file), 'utf8');
			expect(text, file).not.toContain(root);
			expect(text, file).not.toMatch(/registry\.[a-z]/);
		}
	});
});
