import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { makeOnce } from '../cache.mts';
import { run, step } from '../command.mts';
import { cacheFolder, root } from '../paths.mts';

const folder = join(root, 'scripts', 'n8n');

/** The lines of n8n that the package is tested with, such as "2.x", newest first. */
export const lines = readdirSync(folder).sort((a, b) => parseInt(b) - parseInt(a));
const [newest] = lines;

const read = (line: string, file: string): unknown =>
	JSON.parse(readFileSync(join(folder, line, file), 'utf8'));

export const getVersion = (line = newest) =>
	(read(line, 'package.json') as { dependencies: { n8n: string } }).dependencies.n8n;

type Lock = { packages: Record<string, { version: string }> };

/** The version of a package that the newest n8n installs. */
export function broughtByN8n(name: string): string {
	const lock = read(newest, 'package-lock.json') as Lock;
	return lock.packages[`node_modules/${name}`].version;
}

/** Updates the versions of n8n that a string mentions as "n8n 1.2.3" or "e.g. 1.2.3". */
export const withN8nVersions = (text: string) =>
	text.replaceAll(/\b(n8n |e\.g\. )(\d+)\.\d+\.\d+/g, (mention, before: string, major: string) =>
		lines.includes(`${major}.x`) ? before + getVersion(`${major}.x`) : mention,
	);

/** Downloads n8n's native database driver, whose install script has not run, or compiles it. */
async function prepareSqlite(installed: string) {
	const cwd = join(installed, 'node_modules', 'sqlite3');
	const tool = (name: string) => join(installed, 'node_modules', '.bin', name);
	// without Debian's headers for Node.js, node-gyp downloads them
	const hasHeaders = existsSync('/usr/include/node/node_api.h');
	const env = hasHeaders ? { npm_config_nodedir: '/usr' } : {};
	await run('node', [tool('prebuild-install'), '-r', 'napi'], { cwd }).catch(
		// a debug build compiles in a third of the time, and is fast enough
		async () => await run('node', [tool('node-gyp'), 'rebuild', '--debug'], { cwd, env }),
	);
	await run('node', ['-e', 'require("sqlite3")'], { cwd: installed });
}

/** Installs a line of n8n once for all checkouts. Returns the folder. */
export async function installN8n(line = newest): Promise<string> {
	const from = join(folder, line);
	const files = ['package.json', 'package-lock.json'];
	const sources = files.map((file) => readFileSync(join(from, file), 'utf8'));
	const prefix = `n8n-${line}-${process.platform}-${process.arch}-`;
	const title = `Installing n8n ${getVersion(line)} (1 to 4 minutes, once)`;
	return await makeOnce({ parent: cacheFolder, prefix, sources }, async (installed) => {
		await step(title, async () => {
			await cp(from, installed, { recursive: true });
			const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
			await run('npm', ['ci', ...options], { cwd: installed });
			await prepareSqlite(installed);
		});
	});
}
