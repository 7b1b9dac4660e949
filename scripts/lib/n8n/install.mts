import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cached } from '../cache.mts';
import { run } from '../command.mts';
import { root } from '../paths.mts';

/** The lines of n8n that the package is tried with. */
export const lines = ['2.x', '1.x'] as const;
export type Line = (typeof lines)[number];

/** The version of n8n that a line is tried with: what scripts/n8n/ installs for it says so, and nothing else. */
export function versionOf(line: Line): string {
	const path = join(root, 'scripts', 'n8n', line, 'package.json');
	const manifest = JSON.parse(readFileSync(path, 'utf8')) as { dependencies: { n8n: string } };
	return manifest.dependencies.n8n;
}

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
		title: `n8n ${versionOf(line)} (2 to 5 minutes, once)`,
		finish: prepareSqlite,
	});
