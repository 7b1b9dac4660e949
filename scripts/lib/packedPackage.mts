import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { buildAndPack } from './pack.mts';
import { root } from './paths.mts';
import { step } from './progress.mts';

const SOURCES = [
	'nodes',
	'credentials',
	'package.json',
	'tsconfig.json',
	'README.md',
	'gulpfile.js',
];

async function sourceFiles(): Promise<string[]> {
	const lists = SOURCES.map(async (name) => {
		if (name.includes('.')) return [join(root, name)];
		const entries = await readdir(join(root, name), { recursive: true, withFileTypes: true });
		return entries
			.filter((entry) => entry.isFile())
			.map(({ parentPath, name }) => join(parentPath, name));
	});
	return (await Promise.all(lists)).flat().sort();
}

/**
 * The tarball of the package as the checkout has it now; built only when something has changed.
 * @param folder where it is kept, with the hash of its sources as its name
 */
export async function packedPackage(folder: string): Promise<string> {
	const hash = createHash('sha256');
	for (const file of await sourceFiles()) hash.update(file).update(await readFile(file));
	const tarball = join(folder, `${hash.digest('hex').slice(0, 16)}.tgz`);
	if (!existsSync(tarball)) {
		await step('Building and packing the package', async () => {
			const fresh = await buildAndPack(join(folder, `packing-${process.pid}`));
			await rename(fresh, tarball);
			await rm(dirname(fresh), { recursive: true });
		});
	}
	for (const name of await readdir(folder)) {
		if (name.endsWith('.tgz') && name !== basename(tarball)) await rm(join(folder, name));
	}
	return tarball;
}
