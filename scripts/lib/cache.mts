import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { run, step } from './command.mts';
import { cacheFolder, root } from './paths.mts';

type CachedPackage = {
	/** folder below scripts/ with the package.json and package-lock.json */
	source: string;
	title: string;
	/** what is left to do after `npm ci`; throws when the install does not work */
	finish?: (folder: string) => Promise<void>;
};

const isAlive = (pid: number) => {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
};

/** Where each process says which folders it uses, by files named `<folder>.<its ID>`. */
const inUse = join(cacheFolder, 'in-use');

async function use(folder: string) {
	await mkdir(inUse, { recursive: true });
	await writeFile(join(inUse, `${basename(folder)}.${process.pid}`), '');
	return folder;
}

/** Removes the folders of the same package that other lockfiles have led to, unless a process uses them. */
async function removeOlder(folder: string, prefix: string) {
	const marks = await readdir(inUse).catch(() => []);
	const used = new Set<string>();
	for (const mark of marks) {
		const [, name, pid] = /^(.*)\.(\d+)$/.exec(mark) ?? [];
		if (isAlive(Number(pid))) used.add(name);
		else await rm(join(inUse, mark), { force: true });
	}
	for (const name of await readdir(cacheFolder)) {
		const isOlder =
			name.startsWith(prefix) && name !== basename(folder) && !name.includes('.installing-');
		if (isOlder && !used.has(name)) await rm(join(cacheFolder, name), { recursive: true });
	}
}

/** Removes what installs that were interrupted have left. */
async function removeLeftovers() {
	for (const name of await readdir(cacheFolder)) {
		const pid = /\.installing-(\d+)$/.exec(name)?.[1];
		if (pid && !isAlive(Number(pid))) await rm(join(cacheFolder, name), { recursive: true });
	}
}

/**
 * The folder of a package with its dependencies, installed once for all checkouts. It is keyed by its
 * lockfile and platform, and gets its name only when it is complete: a broken install is never used. A new install removes those of older lockfiles.
 */
export async function cached({ source, title, finish }: CachedPackage): Promise<string> {
	const from = join(root, 'scripts', source);
	const hash = createHash('sha256');
	for (const file of ['package.json', 'package-lock.json']) {
		hash.update(await readFile(join(from, file)));
	}
	const prefix = `${source.replaceAll('/', '-')}-${process.platform}-${process.arch}-`;
	const folder = join(cacheFolder, prefix + hash.digest('hex').slice(0, 16));
	if (existsSync(folder)) return await use(folder);

	return await step(`Installing ${title} in ${folder}`, async () => {
		await mkdir(cacheFolder, { recursive: true });
		await removeLeftovers();
		const unfinished = `${folder}.installing-${process.pid}`;
		await cp(from, unfinished, { recursive: true });
		await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
			cwd: unfinished,
		});
		await finish?.(unfinished);
		try {
			await rename(unfinished, folder);
		} catch (error) {
			// another process was faster with the same
			if (!existsSync(folder)) throw error;
			await rm(unfinished, { recursive: true });
		}
		await removeOlder(folder, prefix);
		return await use(folder);
	});
}
