import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './command.mts';

/** Builds the package and packs it as it would be published; gives the path of the tarball in `folder`. */
export async function buildAndPack(folder: string): Promise<string> {
	await run('npm', ['run', 'build']);
	return await pack(folder);
}

/** Packs what has been built; gives the path of the tarball in `folder`, which holds nothing else then. */
export async function pack(folder: string): Promise<string> {
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	await run('npm', ['pack', '--pack-destination', folder]);
	const [tarball] = await readdir(folder);
	return join(folder, tarball);
}
