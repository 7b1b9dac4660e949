import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, globSync } from 'node:fs';
import { findProgram, freePort, spawnGroup } from '../../scripts/lib/command.mts';
import { temporaryFolder } from '../../scripts/lib/paths.mts';

function find(program: string): string {
	// Debian keeps PostgreSQL's server programs off the PATH
	const folders = ['/usr/sbin', ...globSync('/usr/lib/postgresql/*/bin')];
	const found = findProgram([program], folders);
	if (!found) throw new Error(`Queue mode needs \`${program}\`, which is not on this machine.`);
	return found;
}

/** Starts a Redis of its own, which ends with `cleanup`; returns its port. n8n waits until it is ready. */
export async function startRedis(cleanup: AsyncDisposableStack): Promise<string> {
	const port = String(await freePort());
	const settings = ['--port', port, '--bind', '127.0.0.1', '--save', ''];
	const server = spawnGroup(find('redis-server'), settings, 'ignore');
	const ended = once(server, 'exit');
	cleanup.defer(async () => {
		server.kill();
		await ended;
	});
	return port;
}

/** Starts a PostgreSQL of its own, with user and database "postgres"; returns its port. It ends with `cleanup`. */
export async function startPostgres(cleanup: AsyncDisposableStack): Promise<string> {
	const port = String(await freePort());
	const cwd = await temporaryFolder('postgres', cleanup);
	const findId = (flag: string) => Number(execFileSync('id', [flag, 'postgres']));
	// PostgreSQL refuses to run as root, and its package has made a user
	const user = process.getuid?.() === 0 ? { uid: findId('-u'), gid: findId('-g') } : undefined;
	if (user) chownSync(cwd, user.uid, user.gid);
	const control = (...args: string[]) =>
		execFileSync(find('pg_ctl'), ['-D', cwd, ...args], { cwd, stdio: 'ignore', ...user });
	control('initdb', '-o', '-U postgres --auth=trust -E UTF8 --no-locale --no-sync');
	control('start', '-o', `-p ${port} -k ${cwd} -h 127.0.0.1 -F`);
	cleanup.defer(() => void control('stop', '-m', 'immediate'));
	return port;
}
