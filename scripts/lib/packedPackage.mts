import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run, step } from './command.mts';
import { localCache } from './paths.mts';

/** Packs the built package into `folder`, which is emptied first. Returns the path of the tarball. */
export async function pack(folder: string): Promise<string> {
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	await run('npm', ['pack', '--pack-destination', folder]);
	const [tarball] = await readdir(folder);
	return join(folder, tarball);
}

let packed: Promise<string> | undefined;

/** Returns the path of the package's tarball: PACKED_PACKAGE, or a tarball that this process packs once. */
export async function packedPackage(): Promise<string> {
	if (process.env.PACKED_PACKAGE !== undefined) return process.env.PACKED_PACKAGE;
	packed ??= step('Building and packing the package', async () => {
		await run('npm', ['run', 'build']);
		return await pack(join(localCache, 'package'));
	});
	return await packed;
}
