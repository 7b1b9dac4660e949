import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { run, step } from './command.mts';
import { cacheFolder, root } from './paths.mts';

type CachedPackage = {
	/** folder below scripts/ with the package.json and package-lock.json */
	source: string;
	title: string;
	/** completes the install after `npm ci`; throws if the package does not work */
	finish?: (folder: string) => Promise<void>;
};

/** No process uses a folder any more whose last use is longer ago. */
const OUT_OF_USE_MS = 24 * 3_600_000;

/** Removes what older lockfiles and interrupted installs of a package have left. */
async function removeOutdated(prefix: string) {
	for (const name of await readdir(cacheFolder)) {
		const folder = join(cacheFolder, name);
		const isOld = async () => Date.now() - (await stat(folder)).mtimeMs > OUT_OF_USE_MS;
		if (name.startsWith(prefix) && (await isOld())) await rm(folder, { recursive: true });
	}
}

/**
 * Installs a package with its dependencies once for all checkouts. The name of the folder is the hash of the
 * lockfile, and the folder gets the name only when it is complete, so a broken install is never used.
 *
 * @returns the folder
 */
export async function cached({ source, title, finish }: CachedPackage): Promise<string> {
	const from = join(root, 'scripts', source);
	const hash = createHash('sha256');
	for (const file of ['package.json', 'package-lock.json']) {
		hash.update(await readFile(join(from, file)));
	}
	const prefix = `${source.replaceAll('/', '-')}-${process.platform}-${process.arch}-`;
	const folder = join(cacheFolder, prefix + hash.digest('hex').slice(0, 16));
	if (existsSync(folder)) {
		await utimes(folder, new Date(), new Date());
		return folder;
	}
	return await step(`Installing ${title} in ${folder}`, async () => {
		await mkdir(cacheFolder, { recursive: true });
		await removeOutdated(prefix);
		const unfinished = `${folder}.${process.pid}`;
		await cp(from, unfinished, { recursive: true });
		const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
		await run('npm', ['ci', ...options], { cwd: unfinished });
		await finish?.(unfinished);
		await rename(unfinished, folder).catch(async (error: Error) => {
			// another process was faster with the same package
			if (!existsSync(folder)) throw error;
			await rm(unfinished, { recursive: true });
		});
		return folder;
	});
}
