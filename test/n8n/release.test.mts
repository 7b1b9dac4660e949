import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../scripts/lib/command.mts';
import { root, temporaryFolder } from '../../scripts/lib/paths.mts';
import { type Registry, startRegistry } from '../../scripts/lib/registry.mts';

const answers: Record<string, string> = {
	'<owner>': 'byron',
	'<repository>': 'forms-of-ada',
	'<name>': 'Ada Byron',
	'<email>': 'ada@byron.org',
	'<address of Form Service>': 'https://forms.byron.org',
};

const PART_OF_NPM_TEST =
	'npm run build && npx vitest run --project model test/model/delivery.test.mts';
const OPEN = 'OWNER/n8n-nodes-formservice OWNER owner@example.com https://form-service.example.com';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const { version: first } = JSON.parse(read('package.json')) as { version: string };
const next = first.replace(/\d+$/, (patch) => String(Number(patch) + 1));
const [setUp, release] = read('CONTRIBUTING.md')
	.replace(/.*\n## Release\n/s, '')
	.match(/(?<=```sh\n).*?(?=```)/gs) as string[];

/** The commands of a job of publish.yml. */
function listCommands(job: string): string[] {
	const [, text] = new RegExp(`^  ${job}:\n(.*?)(?=^  \\w|$(?![^]))`, 'ms').exec(
		read('.github/workflows/publish.yml'),
	) as unknown as string[];
	return [...text.matchAll(/run: (?:\|\n((?: {10}.*\n)+)|(.*))/g)].map(
		([, block, line]) => block ?? line,
	);
}

const [signIn] = listCommands('publish');

describe('The steps of CONTRIBUTING.md and publish.yml', () => {
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

	/**
	 * Does what publish.yml does for a tag, but states no provenance, which only GitHub can. In place of
	 * `npm test`, this builds, and runs tests that load the nodes anew, which node_modules as a link must not
	 * prevent.
	 */
	async function publish(version: string, token = ''): Promise<void> {
		await shell(folder, `git clone --quiet --branch ${version} origin.git ${version}`);
		const checkout = join(folder, version);
		await linkPackages(checkout);
		for (const command of listCommands('pack')) {
			const instead = command.replace(/^npm test$/, PART_OF_NPM_TEST);
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

	/** What the registry has of each version. */
	const readVersions = async () => {
		const { versions } = (await (await fetch(`${registry.url}n8n-nodes-formservice`)).json()) as {
			versions: Record<string, { repository: { url: string } }>;
		};
		return versions;
	};

	beforeAll(async () => {
		folder = await temporaryFolder('release', cleanup);
		registry = await startRegistry(join(folder, 'registry'), '@none', cleanup);
		project = join(folder, 'project');
		const isSource = (path: string) => !/[\\/](node_modules|\.git|dist)$/.test(path);
		cpSync(root, project, { recursive: true, filter: isSource });
		await linkPackages(project);
		describeVersion(first);
		await shell(project, `npm run owner -- ${OPEN}`);
		await shell(folder, 'git init --quiet --bare --initial-branch main origin.git');
		await shell(
			project,
			`git init --quiet --initial-branch main && git add . && git commit --quiet --message First
			git remote add origin ../origin.git && git push --quiet --set-upstream origin main`,
		);
	}, 120_000);
	afterAll(async () => await cleanup.disposeAsync());

	it('publish the first version once the owner is named, with the owner’s repository', async () => {
		await expect(shell(project, release)).rejects.toThrow('cannot be published yet');
		const command = setUp.replaceAll(/<.*?>/g, (place) => answers[place]);
		await shell(project, command);
		await shell(project, release);
		await publish(first, 'a token');
		expect(await readVersions()).toMatchObject({
			[first]: { repository: { url: 'git+https://github.com/byron/forms-of-ada.git' } },
		});
	});

	it('publish a patch, which needs its section in CHANGELOG.md and no token', async () => {
		await expect(shell(project, release)).rejects.toThrow(`${first} is released already`);
		describeVersion(next);
		await expect(shell(project, release)).rejects.toThrow('not committed');
		await shell(project, 'git commit --quiet --all --message Describe');
		await shell(project, release);
		await publish(next);
		expect(Object.keys(await readVersions())).toEqual([first, next]);
		await expect(shell(folder, signIn, { ...onRegistry(), NPM_TOKEN: 'a token' })).rejects.toThrow(
			'remove the secret NPM_TOKEN',
		);
	});
});
