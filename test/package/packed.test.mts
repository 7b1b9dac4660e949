import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../scripts/lib/command.mts';
import { pack } from '../../scripts/lib/packedPackage.mts';
import { root, temporaryFolder } from '../../scripts/lib/paths.mts';

// the scanner's rules take every file for a node when they are themselves under test
process.env.NODE_ENV = 'production';

type Scanner = {
	analyzePackage(
		folder: string,
		patterns: string[],
	): Promise<{ passed: boolean; message?: string; details?: string }>;
};

/** The files of a folder; each of the package's has an extension, and no folder has. */
const listFiles = (cwd: string) => globSync('**/*.*', { cwd }).sort();

const cleanup = new AsyncDisposableStack();
let folder: string;

beforeAll(async () => {
	const base = await temporaryFolder('package', cleanup);
	const tarball = await pack(join(base, 'packed'));
	await run('tar', ['-xzf', tarball, '-C', base]);
	folder = join(base, 'package');
});
afterAll(async () => await cleanup.disposeAsync());

describe('the packed package', () => {
	it('has each source file once, compiled or copied, the documents, and nothing else', () => {
		const built = ['nodes', 'credentials'].flatMap((source) =>
			listFiles(join(root, source)).map((file) => `dist/${source}/${file.replace(/\.ts$/, '.js')}`),
		);
		const expected = [...built, 'LICENSE.md', 'README.md', 'package.json'];
		expect(listFiles(folder)).toEqual(expected.sort());
	});

	it('leads no help link to a repository that nobody owns yet', async () => {
		for (const file of globSync('dist/**/*.{js,json}', { cwd: folder })) {
			expect(await readFile(join(folder, file), 'utf8'), file).not.toContain('OWNER');
		}
	});
});

it('n8n’s scan before a package is verified passes, and no file disables one of its rules', async () => {
	for (const file of globSync('{nodes,credentials}/**/*.ts', { cwd: root }))
		expect(await readFile(join(root, file), 'utf8'), file).not.toContain('eslint-disable');
	const path = 'node_modules/@n8n/scan-community-package/scanner/scanner.mjs';
	const scanner = (await import(join(root, path))) as Scanner;
	const result = await scanner.analyzePackage(folder, ['**/*.js', 'package.json']);
	expect(result.passed, result.details ?? result.message).toBe(true);
});
