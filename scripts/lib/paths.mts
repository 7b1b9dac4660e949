import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');

/** The cache of this checkout. Lint, formatting and Git ignore it. */
export const localCache = join(root, 'node_modules', '.cache');

/** The cache that all checkouts share, for downloads. */
export const cacheFolder = join(
	process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
	'n8n-nodes-formservice',
);

/** Creates a temporary folder, which `cleanup` removes with its contents. */
export async function temporaryFolder(
	name: string,
	cleanup: AsyncDisposableStack,
): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), `${name}-`));
	cleanup.defer(async () => await rm(folder, { recursive: true, force: true }));
	return folder;
}
