import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastify from 'fastify';
import { run } from '../../scripts/lib/command.mts';
import { packedPackage } from '../../scripts/lib/packedPackage.mts';

/**
 * Starts a package registry that has the packed package under a name with a scope; it ends with `cleanup`.
 * Returns npm's settings file that makes npm use the registry for the scope.
 */
export async function startRegistry(
	folder: string,
	name: string,
	version: string,
	cleanup: AsyncDisposableStack,
): Promise<string> {
	await mkdir(folder, { recursive: true });
	await run('tar', ['-xzf', await packedPackage(), '-C', folder]);
	const path = join(folder, 'package', 'package.json');
	const manifest = { ...JSON.parse(await readFile(path, 'utf8')), name, version } as object;
	await writeFile(path, JSON.stringify(manifest));
	const tarball = join(folder, 'package.tgz');
	await run('tar', ['-czf', tarball, '-C', folder, 'package']);

	const server = fastify();
	server.get('/package.tgz', async () => await readFile(tarball));
	// npm asks for the package by its name
	server.get('/*', ({ host }) => {
		const dist = { tarball: `http://${host}/package.tgz` };
		return {
			name,
			'dist-tags': { latest: version },
			versions: { [version]: { ...manifest, dist } },
		};
	});
	const url = await server.listen({ host: '127.0.0.1', port: 0 });
	cleanup.defer(async () => await server.close());
	const settings = join(folder, 'npmrc');
	await writeFile(settings, `${name.split('/')[0]}:registry=${url}/\n`);
	return settings;
}
