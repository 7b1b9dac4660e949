import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { run, step } from './command.mts';
import { root } from './paths.mts';

/** Where tests and demo keep the tarball. */
const folder = join(root, '.demo', 'package');

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

/** Packs what has been built; gives the path of the tarball in `folder`, which holds nothing else then. */
export async function pack(folder: string): Promise<string> {
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	await run('npm', ['pack', '--pack-destination', folder]);
	const [tarball] = await readdir(folder);
	return join(folder, tarball);
}

/**
 * The path of a tarball of the package as the checkout has it now. It has the hash of its sources as its name,
 * and is built only when something has changed.
 */
export async function packedPackage(): Promise<string> {
	const hash = createHash('sha256');
	for (const file of await sourceFiles()) hash.update(file).update(await readFile(file));
	const tarball = join(folder, `${hash.digest('hex').slice(0, 16)}.tgz`);
	if (!existsSync(tarball)) {
		await step('Building and packing the package', async () => {
			await run('npm', ['run', 'build']);
			const fresh = await pack(join(folder, `packing-${process.pid}`));
			await rename(fresh, tarball);
			await rm(dirname(fresh), { recursive: true });
		});
	}
	for (const name of await readdir(folder)) {
		if (name.endsWith('.tgz') && name !== basename(tarball)) await rm(join(folder, name));
	}
	return tarball;
}
