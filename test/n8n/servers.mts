import { execFileSync, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, globSync } from 'node:fs';
import { connect } from 'node:net';
import { findProgram, freePort, until } from '../../scripts/lib/command.mts';
import { temporaryFolder } from '../../scripts/lib/paths.mts';

function find(program: string): string {
	// Debian keeps PostgreSQL's server programs off the PATH
	const folders = ['/usr/sbin', ...globSync('/usr/lib/postgresql/*/bin')];
	const found = findProgram([program], folders);
	if (!found) throw new Error(`Queue mode needs \`${program}\`, which is not on this machine.`);
	return found;
}

const isOpen = async (port: number) =>
	await new Promise<boolean>((resolve) => {
		const socket = connect(port, '127.0.0.1');
		socket.once('error', () => resolve(false)).once('connect', () => resolve(true));
		socket.once('connect', () => socket.destroy());
	});

/** Starts a server and waits until it accepts connections; it ends with `cleanup`. */
async function start(
	program: string,
	args: string[],
	port: number,
	cleanup: AsyncDisposableStack,
	options: SpawnOptions = { stdio: 'ignore' },
): Promise<void> {
	const server = spawn(program, args, options);
	const ended = once(server, 'exit');
	cleanup.defer(async () => {
		server.kill('SIGINT');
		await ended;
	});
	const hasStarted = async () => server.exitCode === null && (await isOpen(port));
	if (!(await until(hasStarted, 30_000))) throw new Error(`${program} did not start.`);
}

/** Starts a Redis of its own; returns its port. */
export async function startRedis(cleanup: AsyncDisposableStack): Promise<number> {
	const port = await freePort();
	const folder = await temporaryFolder('redis', cleanup);
	const settings = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--dir', folder];
	await start(find('redis-server'), settings, port, cleanup);
	return port;
}

/** Starts a PostgreSQL of its own, with user and database "postgres"; returns its port. */
export async function startPostgres(cleanup: AsyncDisposableStack): Promise<number> {
	const port = await freePort();
	const folder = await temporaryFolder('postgres', cleanup);
	const options: SpawnOptions = { cwd: folder, stdio: 'ignore' };
	if (process.getuid?.() === 0) {
		// PostgreSQL refuses to run as root, and its package has made a user
		const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'postgres'])));
		chownSync(folder, uid, gid);
		Object.assign(options, { uid, gid });
	}
	const flags = '-U postgres --auth=trust -E UTF8 --no-locale --no-sync'.split(' ');
	execFileSync(find('initdb'), ['-D', folder, ...flags], options);
	const settings = ['-D', folder, '-p', `${port}`, '-k', folder, '-h', '127.0.0.1', '-F'];
	await start(find('postgres'), settings, port, cleanup, options);
	return port;
}
