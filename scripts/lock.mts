/**
 * Writes all lockfiles anew, after a version in a package.json has changed, and all that derives from them:
 *
 *   npm run lock
 */
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from './lib/command.mts';
import { root } from './lib/paths.mts';

const lock = async (folder: string) =>
	await run('npm', ['install', '--package-lock-only', '--ignore-scripts'], { cwd: folder });

for (const path of globSync('scripts/**/package.json', { cwd: root })) {
	await lock(join(root, dirname(path)));
}
// the versions of n8n's classes in package.json are those that the newest n8n brings
await run('node', ['scripts/generate.mts'], { show: true });
await lock(root);
