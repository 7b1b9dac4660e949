import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
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
	const server = createServer((request, reply) => {
		const file = tarballs.get(request.url!);
		if (file) return reply.end(file);
		// npm asks for the package by its name
		const tags = { latest: Object.keys(versions).at(-1) };
		return reply.end(JSON.stringify({ name, 'dist-tags': tags, versions }));
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	cleanup.defer(() => void server.close());
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const settings = join(folder, 'npmrc');
	await mkdir(folder, { recursive: true });
	await writeFile(settings, `${name.split('/')[0]}:registry=${url}/\n`);
	return {
		/** npm's settings file that makes npm use the registry for the scope */
		settings,
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
