import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, realpath, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

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
	const folder = join(parent, prefix + hash('sha256', JSON.stringify(sources)).slice(0, 16));
	const path = made.get(folder) ?? make(folder, fill);
	made.set(folder, path);
	return await path;
}
