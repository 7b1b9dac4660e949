import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../../scripts/lib/command.mts';
import { root, temporaryFolder } from '../../scripts/lib/paths.mts';
import { type Registry, startRegistry } from '../../scripts/lib/registry.mts';

const answers: Record<string, string> = {
	'<owner>': 'byron',
	'<repository>': 'forms-of-ada',
	'<name>': 'Ada Byron',
	'<email>': 'ada@byron.org',
	'<address of Form Service>': 'forms.byron.org',
};

/** In place of `npm test`: tests that load the nodes anew, which a link to node_modules must not prevent. */
const PART_OF_NPM_TEST =
	'npm run build && npx vitest run --project model test/model/delivery.test.mts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const { version: first } = JSON.parse(read('package.json')) as { version: string };
const next = first.replace(/\d+$/, (patch) => String(Number(patch) + 1));
const [setUp, release] = read('CONTRIBUTING.md')
	.replace(/.*\n## Release\n/s, '')
	.match(/(?<=```sh\n).*?(?=```)/gs) as string[];

/** The commands of a job of publish.yml. */
function listCommands(job: string): string[] {
	const workflow = read('.github/workflows/publish.yml');
	const [, text = ''] =
		new RegExp(`^  ${job}:\n(.*?)(?=^  \\w|$(?![^]))`, 'ms').exec(workflow) ?? [];
	const commands = text.matchAll(/run: (?:\|\n((?: {10}.*\n)+)|(.*))/g);
	return [...commands].map(([, block, line]) => block ?? line);
}

const cleanup = new AsyncDisposableStack();
let folder: string;
let project: string;
let registry: Registry;

const shell = async (cwd: string, command: string, env: NodeJS.ProcessEnv = {}) =>
	await run('bash', ['-ec', command], {
		cwd,
		env: {
			// no settings of the machine, only a name for commits
			GIT_CONFIG_GLOBAL: join(folder, 'gitconfig'),
			...{ GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@byron.org' },
			...{ GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@byron.org' },
			// n8n's lint takes every file for a node while it is under test
			NODE_ENV: '',
			...env,
		},
	});

const linkPackages = async (checkout: string) =>
	await shell(checkout, `ln -s ${root}/node_modules node_modules`);

/** npm's settings, under both names that npm reads: it hands its own on in small letters. */
const onRegistry = (): NodeJS.ProcessEnv => {
	const [url, settings] = [registry.url, join(folder, 'npmrc')];
	return {
		...{ npm_config_registry: url, NPM_CONFIG_REGISTRY: url },
		...{ npm_config_userconfig: settings, NPM_CONFIG_USERCONFIG: settings },
	};
};

/** Does what publish.yml does for a tag, but states no provenance, which only GitHub can. */
async function publish(version: string, testing: string, token = ''): Promise<void> {
	await shell(folder, `git clone --quiet --branch ${version} origin.git ${version}`);
	const checkout = join(folder, version);
	await linkPackages(checkout);
	for (const command of listCommands('pack')) {
		const instead = command.replace(/^npm test$/, testing);
		await shell(checkout, instead, { GITHUB_REF_NAME: version });
	}
	await shell(folder, `mkdir artifact-${version} && mv ${version}/*.tgz artifact-${version}`);
	const env = { ...onRegistry(), NPM_TOKEN: token, NPM_CONFIG_PROVENANCE: 'false' };
	for (const command of listCommands('publish')) {
		await shell(join(folder, `artifact-${version}`), command, env);
	}
}

const describeVersion = (version: string) =>
	writeFileSync(
		join(project, 'CHANGELOG.md'),
		`# Changelog\n\n## ${version} (2026-11-22)\n\nNew.\n`,
	);

beforeAll(async () => {
	folder = await temporaryFolder('release', cleanup);
	registry = await startRegistry(join(folder, 'registry'), '@none', cleanup);
	project = join(folder, 'project');
	const isSource = (path: string) => !/[\\/](node_modules|\.git|dist)$/.test(path);
	cpSync(root, project, { recursive: true, filter: isSource });
	await linkPackages(project);
	describeVersion(first);
	await shell(folder, 'git init --quiet --bare --initial-branch main origin.git');
	await shell(
		project,
		`git init --quiet --initial-branch main && git add . && git commit --quiet --message First
		git remote add origin ../origin.git && git push --quiet --set-upstream origin main`,
	);
}, 120_000);
afterAll(async () => await cleanup.disposeAsync());

it('the steps of CONTRIBUTING.md and publish.yml publish a first version and a patch', async () => {
	if (read('package.json').includes('OWNER')) {
		await expect(shell(project, release)).rejects.toThrow('cannot be published yet');
		await shell(
			project,
			setUp.replaceAll(/<.*?>/g, (place) => answers[place]),
		);
	}
	await shell(project, release);
	await publish(first, PART_OF_NPM_TEST, 'a token');

	await expect(shell(project, release)).rejects.toThrow(`${first} is released already`);
	describeVersion(next);
	await expect(shell(project, release)).rejects.toThrow('not committed');
	await shell(project, 'git commit --quiet --all --message Describe');
	await shell(project, release);
	await publish(next, 'npm run build');

	const reply = await fetch(`${registry.url}n8n-nodes-formservice`);
	const { versions } = (await reply.json()) as { versions: Record<string, object> };
	expect(Object.keys(versions)).toEqual([first, next]);
	const owned = { repository: { url: 'git+https://github.com/byron/forms-of-ada.git' } };
	if (read('package.json').includes('OWNER')) expect(versions[next]).toMatchObject(owned);
	const [signIn] = listCommands('publish');
	const withToken = { ...onRegistry(), NPM_TOKEN: 'a token' };
	await expect(shell(folder, signIn, withToken)).rejects.toThrow('remove the secret NPM_TOKEN');
});
