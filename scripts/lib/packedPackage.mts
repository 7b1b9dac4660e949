import { globSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeOnce } from './cache.mts';
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

/** Builds and packs the package as the checkout has it, once; returns the path of the tarball. */
export async function packedPackage(): Promise<string> {
	const entries = globSync(SOURCES, { cwd: root, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile());
	const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
	const sources = paths.flatMap((path) => [path, readFileSync(path, 'base64')]);
	const from = { parent: join(localCache, 'package'), sources };
	const folder = await makeOnce(from, async (unfinished) => {
		await step('Building and packing the package', async () => {
			await run('npm', ['run', 'build']);
			await pack(unfinished);
		});
	});
	const [tarball] = await readdir(folder);
	return join(folder, tarball);
}
