import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The repository. */
export const root = resolve(import.meta.dirname, '../..');

/** Where results are kept within the checkout: lint, formatting and Git leave it out. */
export const localCache = join(root, 'node_modules', '.cache');

/** Where downloads are kept between checkouts. */
export const cacheFolder = join(
	process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
	'n8n-nodes-formservice',
);

/** Makes an empty folder that is removed with `cleanup`, with all that is in it then. */
export async function temporaryFolder(
	name: string,
	cleanup: AsyncDisposableStack,
): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), `${name}-`));
	cleanup.defer(async () => await rm(folder, { recursive: true, force: true }));
	return folder;
}
