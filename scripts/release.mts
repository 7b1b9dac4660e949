/**
 * Releases the first version in CHANGELOG.md: checks the package, commits the version to package.json, and
 * pushes a tag. The tag starts publish.yml, which publishes.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './lib/command.mts';
import { root } from './lib/paths.mts';

const git = async (...args: string[]) => (await run('git', args)).trim();

const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8');
const [, heading = ''] = /^## (.*)$/m.exec(changelog) ?? [];
const [, version] = /^(\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$/.exec(heading) ?? [];

/** Returns why no version can be released now. */
async function findObstacle(): Promise<string | undefined> {
	if (!version) return `CHANGELOG.md begins with "${heading}", not with a version and its date`;
	const tag = `refs/tags/${version}`;
	if ((await git('ls-remote', 'origin', tag)).includes(tag))
		return `${version} is released already: describe the next version in CHANGELOG.md`;
	if ((await git('branch', '--show-current')) !== 'main') return 'the branch is not main';
	if (await git('status', '--porcelain')) return 'there are changes that are not committed';
	return undefined;
}

const obstacle = await findObstacle();
if (!version || obstacle) {
	console.error(`Nothing was released: ${obstacle}.`);
	process.exit(1);
}
await run('node', ['scripts/checkOwner.mjs']);
await run('npm', ['run', 'verify'], { show: true });
// the version is unchanged for the first release, and after a failed push
await run('npm', ['version', version, '--allow-same-version', '--tag-version-prefix=']);
await git('push', '--atomic', 'origin', 'main', version);
console.log(`Pushed ${version}. On GitHub, publish.yml waits for your approval after the tests.`);
