import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

export function median(numbers: readonly number[]): number {
	const sorted = numbers.toSorted((one, other) => one - other);
	return sorted[Math.floor(sorted.length / 2)];
}

export const formatMs = (ms: number) => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
export const formatMinutes = (ms: number) => `${(ms / 60_000).toFixed(1)} min`;
export const formatCount = (count: number) => count.toLocaleString('en');
export const formatMegabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

/** Milliseconds of all processors that a piece of work takes in this process. */
export async function measureProcessorTime(work: () => unknown): Promise<number> {
	const before = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}

/** Runs a file of the bench in a process of its own; returns what that process sends. */
export async function runInOwnProcess<T>(file: string, args: string[]): Promise<T> {
	const child = fork(fileURLToPath(file), args);
	const ended = once(child, 'exit').then(() => {
		throw new Error(`${file} ended before it had measured anything.`);
	});
	const [measured] = (await Promise.race([once(child, 'message'), ended])) as [T];
	child.kill();
	return measured;
}

function createRecord(number: number): string {
	return JSON.stringify({
		uuid: `9f1c2d3e-5b6a-4c7d-8e9f-${number.toString(16).padStart(12, '0')}`,
		number,
		number_formatted: `No. ${number}`,
		is_incomplete: false,
		created_at: new Date(1_700_000_000_000 + number * 60_000).toISOString(),
		referrer: 'https://example.com/page',
		webhook_sent: false,
		enrich: null,
		responses: ['Name', 'Email', 'Message', 'Phone', 'Comment'].map((key) => ({
			key,
			value: `${key} of respondent ${number}, in words of some length`,
		})),
	});
}

export type ListServer = { url: string; serve(count: number): Promise<void>; close(): void };

/** A server in a process of its own, which replies with a list of responses of about 690 bytes each. */
export async function startListServer(): Promise<ListServer> {
	const child = fork(fileURLToPath(import.meta.url), ['--serve']);
	const [port] = (await once(child, 'message')) as [number];
	return {
		url: `http://127.0.0.1:${port}`,
		async serve(count) {
			child.send(count);
			await once(child, 'message');
		},
		close: () => void child.kill(),
	};
}

function serveLists(parent: Required<Pick<ChildProcess, 'send'>>): void {
	let body = Buffer.from('{}');
	const limits = { 'x-ratelimit-limit': '1000000', 'x-ratelimit-remaining': '999999' };
	const server = createServer((_request, reply) => {
		reply.writeHead(200, { 'content-type': 'application/json', ...limits });
		reply.end(body);
	});
	process.on('message', (count: number) => {
		const records = Array.from({ length: count }, (_, index) => createRecord(count - index));
		body = Buffer.from(`{"success":true,"data":[${records.join(',')}]}`);
		parent.send('served');
	});
	process.on('disconnect', () => process.exit());
	server.listen(0, '127.0.0.1', () => parent.send((server.address() as AddressInfo).port));
}

if (process.argv[2] === '--serve') serveLists(process as Required<Pick<ChildProcess, 'send'>>);
