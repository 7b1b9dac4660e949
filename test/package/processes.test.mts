import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { environment, until } from '../../scripts/lib/command.mts';
import { root, temporaryFolder } from '../../scripts/lib/paths.mts';

const command = join(root, 'scripts', 'lib', 'command.mts');
const cleanup = new AsyncDisposableStack();
afterAll(async () => await cleanup.disposeAsync());

const isRunning = (pid: number) => {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
};

/** Starts a script that starts a program with `spawnGroup`; returns the script and the process ID of the program. */
async function startScript() {
	const file = join(await temporaryFolder('group', cleanup), 'pid');
	// a program that ignores SIGTERM and has a child, as n8n has its task runner
	const program = `trap '' TERM; sleep 300 & echo $$ $! > ${file}; wait`;
	const script = `
		const { spawnGroup } = await import(${JSON.stringify(command)});
		spawnGroup('sh', ['-c', ${JSON.stringify(program)}], 'ignore');`;
	const args = ['--input-type=module', '--eval', script];
	const child = spawn('node', args, { env: environment(), stdio: 'ignore' });
	const read = async () => (await readFile(file, 'utf8').catch(() => '')).trim();
	const pids = (await until(read, 10_000)).split(' ').map(Number);
	expect(pids.every(isRunning)).toBe(true);
	return { child, pids };
}

it.each(['SIGTERM', 'SIGKILL'] as const)(
	'a script that is ended with %s leaves no process of n8n',
	async (signal) => {
		const { child, pids } = await startScript();
		const ended = once(child, 'exit');
		child.kill(signal);
		await ended;
		expect(await until(() => !pids.some(isRunning), 10_000)).toBe(true);
	},
);
