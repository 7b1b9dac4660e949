import { type ChildProcess, spawn, type SpawnOptions, type StdioOptions } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './paths.mts';

const tools = join(root, 'node_modules', '.bin');

/** The environment for commands: Node 24 and the project's tools come first in the PATH. */
export const environment = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
	...process.env,
	PATH: `${tools}${delimiter}${process.env.PATH}`,
	...more,
});

type Options = { cwd?: string; env?: NodeJS.ProcessEnv; show?: boolean };

/** Runs a command and returns its output. Throws with the end of the output if it fails. */
export async function run(command: string, args: string[], options: Options = {}): Promise<string> {
	const child = spawn(command, args, {
		cwd: options.cwd ?? root,
		// without CI, some tools write spinners to their output
		env: environment({ CI: 'true', ...options.env }),
		stdio: ['ignore', 'pipe', 'pipe'],
		shell: process.platform === 'win32',
	});
	const end = () => child.kill();
	process.once('exit', end);
	let output = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream.on('data', (chunk: Buffer) => {
			output += chunk.toString();
			if (options.show) process.stdout.write(chunk);
		});
	}
	const code = await new Promise<number | string>((resolve, reject) => {
		child.on('error', reject);
		child.on('close', (exitCode, signal) => resolve(signal ?? exitCode ?? 1));
	});
	process.off('exit', end);
	if (code === 0) return output;
	const tail = options.show ? '' : `:\n${output.trim().split('\n').slice(-40).join('\n')}`;
	throw new Error(`\`${command} ${args.join(' ')}\` ended with ${code}${tail}`);
}

/** Kills its process group when file descriptor 3 closes, and becomes the program of its arguments. */
const WATCH = '(read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 & exec "$@" 3<&-';

/**
 * Starts a program in a new process group, which Ctrl-C does not reach. The group ends with the program and with
 * this process, even if a signal kills this process.
 */
export function spawnGroup(
	command: string,
	args: string[],
	output: number | 'ignore',
	options: SpawnOptions = {},
): ChildProcess {
	const script = ['-c', WATCH, 'sh', command, ...args];
	const stdio: StdioOptions = ['ignore', output, output, 'pipe'];
	const child = spawn('sh', script, { ...options, stdio, detached: true });
	// when this process ends, the system closes this end of the pipe
	const pipe = child.stdio[3] as Socket;
	pipe.unref();
	child.once('exit', () => pipe.destroy());
	return child;
}

/** Does a piece of work. Prints its title, the elapsed time every ten seconds, and its end. */
export async function step<T>(title: string, work: () => Promise<T>): Promise<T> {
	const start = Date.now();
	const seconds = () => `${Math.round((Date.now() - start) / 1000)} s`;
	console.log(`… ${title}`);
	const reminder = setInterval(() => console.log(`  ${title}: ${seconds()}`), 10_000);
	try {
		const result = await work();
		console.log(`✓ ${title} (${seconds()})`);
		return result;
	} catch (error) {
		console.log(`✗ ${title} (${seconds()})`);
		throw error;
	} finally {
		clearInterval(reminder);
	}
}

export async function until<T>(
	ask: () => T | Promise<T>,
	timeoutMs: number,
	everyMs = 20,
): Promise<T> {
	const deadline = Date.now() + timeoutMs;
	for (;;) {
		const answer = await ask();
		if (answer || Date.now() > deadline) return answer;
		await sleep(everyMs);
	}
}

/**
 * Finds a free port: the wanted one, or a random one below 32768. Systems use ports from 32768 for outgoing
 * connections, so a restarted server gets its port again.
 */
export async function freePort(wanted = randomInt(20_000, 32_768)): Promise<number> {
	const server = createServer();
	const isFree = await new Promise<boolean>((resolve) => {
		server.once('error', () => resolve(false));
		server.listen(wanted, '127.0.0.1', () => resolve(true));
	});
	server.close();
	return isFree ? wanted : await freePort();
}

/** Finds the path of the first of these programs in a folder of the PATH or in these folders. */
export function findProgram(names: string[], folders: string[] = []): string | undefined {
	const searchedFolders = [...(process.env.PATH ?? '').split(delimiter), ...folders];
	return searchedFolders
		.flatMap((folder) => names.map((name) => join(folder, name)))
		.find(existsSync);
}
