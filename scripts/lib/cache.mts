import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, realpath, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run, step } from './command.mts';
import { cacheFolder, root } from './paths.mts';

type Origin = { parent: string; prefix?: string; sources: string[] };

async function make(folder: string, fill: (unfinished: string) => unknown) {
	if (!existsSync(folder)) {
		const unfinished = `${folder}.${process.pid}`;
		await mkdir(unfinished, { recursive: true });
		await fill(unfinished);
		// another process can have been faster
		await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true }));
	}
	return await realpath(folder);
}

const made = new Map<string, Promise<string>>();

/**
 * Makes a folder once. Its name has the hash of what it is made from, and it gets the name only when it is
 * complete: it is never outdated, and processes do not disturb each other. Returns its real path.
 */
export async function makeOnce(
	{ parent, prefix = '', sources }: Origin,
	fill: (unfinished: string) => unknown,
): Promise<string> {
	const hash = createHash('sha256').update(JSON.stringify(sources)).digest('hex');
	const folder = join(parent, prefix + hash.slice(0, 16));
	const path = made.get(folder) ?? make(folder, fill);
	made.set(folder, path);
	return await path;
}

/**
 * Installs the package of a folder below scripts/ with its dependencies once for all checkouts.
 *
 * @param finish completes the install after `npm ci`; throws if the package does not work
 */
export async function installOnce(
	source: string,
	title: string,
	finish?: (folder: string) => Promise<void>,
): Promise<string> {
	const from = join(root, 'scripts', source);
	const files = ['package.json', 'package-lock.json'].map((file) => join(from, file));
	const sources = await Promise.all(files.map(async (file) => await readFile(file, 'utf8')));
	const prefix = `${source.replaceAll('/', '-')}-${process.platform}-${process.arch}-`;
	return await makeOnce({ parent: cacheFolder, prefix, sources }, async (folder) => {
		await step(`Installing ${title} in ${folder}`, async () => {
			await cp(from, folder, { recursive: true });
			const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
			await run('npm', ['ci', ...options], { cwd: folder });
			await finish?.(folder);
		});
	});
}
