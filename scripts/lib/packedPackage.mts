import { createHash } from 'node:crypto';
import { existsSync, globSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run, step } from './command.mts';
import { localCache, root } from './paths.mts';

const SOURCES = '{nodes/**/*,credentials/*,package.json,tsconfig.json,README.md,gulpfile.js}';

/** Packs what has been built; returns the path of the tarball in `folder`, which has nothing else then. */
export async function pack(folder: string): Promise<string> {
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	await run('npm', ['pack', '--pack-destination', folder]);
	const [tarball] = await readdir(folder);
	return join(folder, tarball);
}

/**
 * Packs the package as the checkout has it now, unless that has been done: the hash of the sources is the
 * tarball's name.
 *
 * @returns the path of the tarball
 */
export async function packedPackage(): Promise<string> {
	const hash = createHash('sha256');
	const entries = globSync(SOURCES, { cwd: root, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile());
	for (const file of files.map(({ parentPath, name }) => join(parentPath, name)).sort()) {
		hash.update(file).update(await readFile(file));
	}
	const folder = join(localCache, 'package');
	const tarball = join(folder, `${hash.digest('hex').slice(0, 16)}.tgz`);
	if (existsSync(tarball)) return tarball;
	return await step('Building and packing the package', async () => {
		for (const outdated of globSync('*.tgz', { cwd: folder })) await rm(join(folder, outdated));
		await run('npm', ['run', 'build']);
		const packed = await pack(join(folder, `packing-${process.pid}`));
		await rename(packed, tarball);
		await rm(dirname(packed), { recursive: true });
		return tarball;
	});
}
