import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installOnce } from './cache.mts';
import { environment, freePort, run, until } from './command.mts';

const START_TIMEOUT_MS = 60_000;

/** Anybody may publish, and nothing is fetched from elsewhere. */
const configuration = (folder: string) => ({
	storage: join(folder, 'storage'),
	auth: {},
	uplinks: {},
	packages: { '**': { access: '$all', publish: '$all', unpublish: '$all' } },
	log: { type: 'stdout', level: 'warn' },
	web: { enable: false },
});

export type Registry = Awaited<ReturnType<typeof startRegistry>>;

/** Starts a package registry on this machine, for packages of one scope; it ends with `cleanup`. */
export async function startRegistry(folder: string, scope: string, cleanup: AsyncDisposableStack) {
	const program = join(
		await installOnce('registry', 'a package registry for tests'),
		'node_modules/verdaccio/bin/verdaccio',
	);
	await mkdir(folder, { recursive: true });
	const port = await freePort();
	const config = join(folder, 'config.yaml');
	// JSON is YAML
	await writeFile(config, JSON.stringify(configuration(folder)));
	const child = spawn('node', [program, '--config', config, '--listen', `127.0.0.1:${port}`], {
		cwd: folder,
		stdio: 'ignore',
		env: environment(),
	});
	cleanup.defer(() => void child.kill());

	const url = `http://127.0.0.1:${port}/`;
	const hasStarted = async () => (await fetch(`${url}-/ping`).catch(() => undefined))?.ok;
	if (!(await until(hasStarted, START_TIMEOUT_MS, 100)))
		throw new Error('The registry did not start.');
	const settings = join(folder, 'npmrc');
	// npm publishes nothing without a token, of which the registry takes any
	await writeFile(settings, `${scope}:registry=${url}\n//127.0.0.1:${port}/:_authToken=any\n`);
	// `npm run` hands its own settings on under names in small letters
	const env = { npm_config_userconfig: settings, NPM_CONFIG_USERCONFIG: settings };

	return {
		url,
		/** npm's settings file that makes npm use the registry for the scope */
		settings,
		/** variables that name this file, for npm wherever it runs */
		env,
		/** Publishes a packed package as `name`, which has the scope, in this version. */
		async publish(tarball: string, name: string, version: string): Promise<void> {
			const unpacked = join(folder, 'packages', version);
			await mkdir(unpacked, { recursive: true });
			await run('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1']);
			const path = join(unpacked, 'package.json');
			const manifest = JSON.parse(await readFile(path, 'utf8')) as object;
			await writeFile(path, JSON.stringify({ ...manifest, name, version }));
			await run('npm', ['publish', '--ignore-scripts', '--access=public'], { cwd: unpacked, env });
		},
	};
}
