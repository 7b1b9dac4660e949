import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastify from 'fastify';
import { run } from '../../scripts/lib/command.mts';

/**
 * Starts a package registry with one package, whose name has a scope, for npm to read; it ends with `cleanup`.
 *
 * @param folder for npm's settings and the packages
 * @param tarball the packed package, which can be published under versions of choice
 */
export async function startRegistry(
	folder: string,
	tarball: string,
	name: string,
	cleanup: AsyncDisposableStack,
) {
	const tarballs = new Map<string, Buffer>();
	const versions: Record<string, object> = {};
	const server = fastify();
	// npm asks for the package by its name
	server.get('/*', ({ url }) => {
		const tags = { latest: Object.keys(versions).at(-1) };
		return tarballs.get(url) ?? { name, 'dist-tags': tags, versions };
	});
	const url = await server.listen({ host: '127.0.0.1', port: 0 });
	cleanup.defer(async () => await server.close());
	const settings = join(folder, 'npmrc');
	await mkdir(folder, { recursive: true });
	await writeFile(settings, `${name.split('/')[0]}:registry=${url}/\n`);
	return {
		/** npm's settings file that makes npm use the registry for the scope */
		settings,
		/** Publishes a version of the package. */
		async publish(version: string): Promise<void> {
			const packed = join(folder, `${version}.tgz`);
			await run('tar', ['-xzf', tarball, '-C', folder]);
			const path = join(folder, 'package', 'package.json');
			const manifest = { ...JSON.parse(await readFile(path, 'utf8')), name, version } as object;
			await writeFile(path, JSON.stringify(manifest));
			await run('tar', ['-czf', packed, '-C', folder, 'package']);
			const file = await readFile(packed);
			const integrity = `sha512-${createHash('sha512').update(file).digest('base64')}`;
			tarballs.set(`/${version}.tgz`, file);
			versions[version] = { ...manifest, dist: { tarball: `${url}/${version}.tgz`, integrity } };
		},
	};
}
