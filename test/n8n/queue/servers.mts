import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { accessSync, chownSync, constants, globSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../scripts/lib/command.mts';
import { temporaryFolder } from '../../../scripts/lib/paths.mts';

const START_TIMEOUT_MS = 30_000;

/** Debian keeps PostgreSQL's server programs off the PATH. */
const FOLDERS = [
	...(process.env.PATH ?? '').split(delimiter),
	'/usr/sbin',
	...globSync('/usr/lib/postgresql/*/bin'),
];

function find(program: string): string {
	const found = FOLDERS.map((folder) => join(folder, program)).find((path) => {
		try {
			accessSync(path, constants.X_OK);
			return true;
		} catch {
			return false;
		}
	});
	if (!found) throw new Error(`Queue mode needs \`${program}\`, which is not on this machine.`);
	return found;
}

async function accepts(port: number): Promise<boolean> {
	return await new Promise((resolve) => {
		const socket = connect(port, '127.0.0.1');
		socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
		socket.once('connect', () => socket.destroy());
	});
}

/** Waits until a server that has been started accepts connections; it ends with `cleanup`. */
async function started(server: ChildProcess, port: number, cleanup: AsyncDisposableStack) {
	const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
	cleanup.defer(async () => {
		server.kill('SIGINT');
		await ended;
	});
	const deadline = Date.now() + START_TIMEOUT_MS;
	while (!(await accepts(port))) {
		if (server.exitCode !== null || Date.now() > deadline) {
			throw new Error(`${server.spawnargs[0]} did not start.`);
		}
		await sleep(100);
	}
}

/** Starts a Redis of its own and gives its port. */
export async function startRedis(cleanup: AsyncDisposableStack): Promise<number> {
	const program = find('redis-server');
	const port = await freePort();
	const dir = await temporaryFolder('redis', cleanup);
	const settings = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--dir', dir];
	await started(spawn(program, settings, { stdio: 'ignore' }), port, cleanup);
	return port;
}

/** PostgreSQL refuses to run as root: then it runs as the user that its package has made. */
function postgresUser(): { uid?: number; gid?: number } {
	if (process.getuid?.() !== 0) return {};
	const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres']).toString());
	return { uid: idOf('-u'), gid: idOf('-g') };
}

/** Starts a PostgreSQL of its own, with user and database "postgres", and gives its port. */
export async function startPostgres(cleanup: AsyncDisposableStack): Promise<number> {
	const [initdb, postgres] = [find('initdb'), find('postgres')];
	const port = await freePort();
	const folder = await temporaryFolder('postgres', cleanup);
	const user = postgresUser();
	if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
	const options = { ...user, cwd: folder, stdio: 'ignore' } as const;
	execFileSync(
		initdb,
		['-D', folder, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--no-locale', '--no-sync'],
		options,
	);
	const settings = ['-D', folder, '-p', `${port}`, '-k', folder, '-h', '127.0.0.1', '-F'];
	await started(spawn(postgres, settings, options), port, cleanup);
	return port;
}
