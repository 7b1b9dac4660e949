import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { run } from '../../scripts/lib/command.mts';
import { pack } from '../../scripts/lib/packedPackage.mts';

export type Packed = {
	/** the unpacked package */
	folder: string;
	/** its files, sorted, with `/` between folders */
	files: string[];
	manifest: Manifest;
	remove(): Promise<void>;
};

type Manifest = {
	version: string;
	scripts?: Record<string, string>;
	peerDependencies?: Record<string, string>;
	peerDependenciesMeta?: Record<string, { optional?: boolean }>;
	n8n: { nodes: string[]; credentials: string[] };
};

/** Paths of the files below a folder, relative to it and sorted. */
export async function filesBelow(folder: string): Promise<string[]> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	return entries
		.filter((entry) => entry.isFile())
		.map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
		.sort();
}

/** Packs what has been built and unpacks it again, as a registry's client would. */
export async function packAndUnpack(): Promise<Packed> {
	const base = await mkdtemp(join(tmpdir(), 'package-'));
	const tarball = await pack(join(base, 'packed'));
	await run('tar', ['-xzf', tarball, '-C', base]);
	const folder = join(base, 'package');
	return {
		folder,
		files: await filesBelow(folder),
		manifest: JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest,
		remove: async () => await rm(base, { recursive: true }),
	};
}
