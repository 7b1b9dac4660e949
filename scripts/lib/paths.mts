import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The repository. */
export const root = resolve(import.meta.dirname, '../..');

/** Where downloads are kept between checkouts. */
export const cacheFolder = join(
	process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
	'n8n-nodes-formservice',
);
