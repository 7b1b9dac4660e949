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

it.each(['SIGINT', 'SIGTERM'] as const)(
	'prints its addresses, serves, and ends on %s',
	async (signal) => {
		const { child, ended, baseUrl } = await run(
			'--port',
			'0',
			'--per-minute',
			'7',
			'--token',
			't-1',
		);
		const reply = await fetch(`${baseUrl}/workspace`, { headers: headersFor('t-1') });
		expect(reply.status).toBe(200);
		expect(reply.headers.get('x-ratelimit-limit')).toBe('7');
		child.kill(signal);
		expect(await ended).toEqual([0, null]);
	},
);

it('keeps what it has in a file', async () => {
	const folder = await mkdtemp(join(tmpdir(), 'service-'));
	folders.push(folder);
	const args = ['--port', '0', '--database', join(folder, 'forms.sqlite')];
	const names = async (settings?: object) => {
		const { child, ended, baseUrl } = await run(...args);
		const headers = headersFor('demo-access-token');
		if (settings) {
			const path = `${baseUrl}/forms/Kt7mQa/settings`;
			await fetch(path, { method: 'POST', headers, body: JSON.stringify(settings) });
		}
		const reply = await fetch(`${baseUrl}/forms`, { headers });
		const { data } = (await reply.json()) as { data: Array<{ name: string }> };
		child.kill('SIGTERM');
		await ended;
		return data.map(({ name }) => name);
	};
	const first = await names({ name: 'Kept' });
	expect(first[0]).toBe('Kept');
	expect(await names()).toEqual(first);
});

it('names the option that is wrong', async () => {
	const { ended, output } = await run('--port', 'none');
	expect(await ended).toEqual([1, null]);
	expect(output.err).toContain('--port must be a whole number');
});
