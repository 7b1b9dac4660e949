/**
 * Writes all lockfiles anew, after a version in a package.json has changed, and all that derives from them:
 *
 *   npm run lock
 */
import { globSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run } from './lib/command.mts';
import { root, temporaryFolder } from './lib/paths.mts';

/** Locks a copy: beside node_modules, npm would note there that the new versions are installed. */
async function lock(folder: string) {
	await using cleanup = new AsyncDisposableStack();
	const copy = await temporaryFolder('lock', cleanup);
	for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
		await cp(join(folder, file), join(copy, file)).catch(() => undefined);
	}
	const options = ['--package-lock-only', '--ignore-scripts'];
	// no lockfile names a registry
	await run('npm', ['install', ...options, '--omit-lockfile-registry-resolved'], { cwd: copy });
	await cp(join(copy, 'package-lock.json'), join(folder, 'package-lock.json'));
}

for (const path of globSync('scripts/**/package.json', { cwd: root })) {
	await lock(join(root, dirname(path)));
}
// the versions of n8n's classes in package.json are those that the newest n8n brings
await run('node', ['scripts/generate.mts'], { show: true });
await lock(root);
