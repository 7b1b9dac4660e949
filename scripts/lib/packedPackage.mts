import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run, step } from './command.mts';
import { localCache } from './paths.mts';

/** Packs what has been built; returns the path of the tarball in `folder`, which has nothing else then. */
export async function pack(folder: string): Promise<string> {
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	await run('npm', ['pack', '--pack-destination', folder]);
	const [tarball] = await readdir(folder);
	return join(folder, tarball);
}

const buildAndPack = async () =>
	await step('Building and packing the package', async () => {
		await run('npm', ['run', 'build']);
		return await pack(join(localCache, 'package'));
	});

let packed: Promise<string> | undefined;

/** The path of the package's tarball: PACKED_PACKAGE, else packed once by this process. */
export async function packedPackage(): Promise<string> {
	return process.env.PACKED_PACKAGE ?? (await (packed ??= buildAndPack()));
}
