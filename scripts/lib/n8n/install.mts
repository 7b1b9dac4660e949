import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cached } from '../cache.mts';
import { run } from '../command.mts';

/** The lines of n8n that the package is tried with; each has a lockfile in scripts/n8n/. */
export const versions = { '2.x': '2.41.1', '1.x': '1.123.81' } as const;
export type Line = keyof typeof versions;

// Debian's packages of Node bring its headers here; without them node-gyp downloads some
const SYSTEM_HEADERS = '/usr/include/node/node_api.h';

/** n8n's database driver is native, and its install script has not run: it is fetched, else compiled. */
async function prepareSqlite(folder: string) {
	const cwd = join(folder, 'node_modules', 'sqlite3');
	const tool = (name: string) => join(folder, 'node_modules', '.bin', name);
	const env = existsSync(SYSTEM_HEADERS) ? { npm_config_nodedir: '/usr' } : {};
	try {
		await run('node', [tool('prebuild-install'), '-r', 'napi'], { cwd });
	} catch {
		await run('node', [tool('node-gyp'), 'rebuild'], { cwd, env });
	}
	await run('node', ['-e', 'require("sqlite3")'], { cwd: folder });
}

/** Installs n8n unless it is there, and gives the folder of its package. */
export const installN8n = async (line: Line) =>
	await cached({
		source: `n8n/${line}`,
		title: `n8n ${versions[line]} (2 to 5 minutes, once)`,
		finish: prepareSqlite,
	});
