import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { headersFor } from './testClient.mts';

const children: ChildProcess[] = [];
const folders: string[] = [];

afterEach(async () => {
	for (const child of children.splice(0)) child.kill('SIGKILL');
	for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

/** Runs the command line and waits until it has printed its addresses, or has ended. */
async function run(...args: string[]) {
	const main = fileURLToPath(new URL('main.mts', import.meta.url));
	const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
	children.push(child);
	const output = { out: '', err: '' };
	child.stdout.on('data', (data: Buffer) => (output.out += data.toString()));
	child.stderr.on('data', (data: Buffer) => (output.err += data.toString()));
	const ended = once(child, 'exit');
	const printed = expect.poll(() => output.out, { timeout: 15_000 }).toContain('Token');
	await Promise.race([ended, printed.catch(() => undefined)]);
	return { child, output, ended, baseUrl: /Base URL +(\S+)/.exec(output.out)?.[1] };
}

it('serves within the limits it is given, keeps what it has in a file, and ends on a signal', async () => {
	const folder = await mkdtemp(join(tmpdir(), 'service-'));
	folders.push(folder);
	const args = ['--port', '0', '--per-minute', '7', '--token', 't-1'];
	const form = async (signal: NodeJS.Signals, settings: object) => {
		const { child, ended, baseUrl } = await run(
			...args,
			'--database',
			join(folder, 'forms.sqlite'),
		);
		const request = { method: 'POST', headers: headersFor('t-1'), body: JSON.stringify(settings) };
		const reply = await fetch(`${baseUrl}/forms/Kt7mQa/settings`, request);
		expect(reply.headers.get('x-ratelimit-limit')).toBe('7');
		const { data } = (await reply.json()) as { data: { name: string } };
		child.kill(signal);
		expect(await ended).toEqual([0, null]);
		return data.name;
	};
	expect(await form('SIGINT', { name: 'Kept' })).toBe('Kept');
	expect(await form('SIGTERM', {})).toBe('Kept');
});

it('names the option that is wrong', async () => {
	const { ended, output } = await run('--port', 'none');
	expect(await ended).toEqual([1, null]);
	expect(output.err).toContain('--port must be a whole number');
});
