import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { fork, type ChildProcess } from 'node:child_process';

/** A listing of so many responses of about 700 bytes each, newest first. */
export function listingOf(count: number): string {
	const records = Array.from({ length: count }, (_, index) => recordOf(count - index));
	return `{"success":true,"data":[${records.join(',')}]}`;
}

/** The same, with one response more. */
export function withOneMore(listing: string, count: number): string {
	return listing.replace('[', `[${recordOf(count + 1)},`);
}

function recordOf(number: number): string {
	const hex = number.toString(16).padStart(12, '0');
	const answers = ['Name', 'Email', 'Message', 'Phone', 'Comment'].map((key) => ({
		key,
		value: `${key} of respondent ${number}, in words of some length`,
	}));
	return JSON.stringify({
		uuid: `9f1c2d3e-5b6a-4c7d-8e9f-${hex}`,
		number,
		number_formatted: `No. ${number}`,
		is_incomplete: false,
		created_at: new Date(1_700_000_000_000 + number * 60_000).toISOString(),
		referrer: 'https://example.com/page',
		webhook_sent: false,
		enrich: null,
		responses: answers,
	});
}

export type BodyServer = { url: string; serve(body: string): Promise<void>; close(): void };

/** A server in a process of its own, which gives one body whatever is asked. */
export async function startBodyServer(): Promise<BodyServer> {
	const child = fork(fileURLToPath(import.meta.url), ['--serve'], { serialization: 'advanced' });
	const [port] = (await once(child, 'message')) as [number];
	return {
		url: `http://127.0.0.1:${port}`,
		async serve(body) {
			child.send(body);
			await once(child, 'message');
		},
		close: () => void child.kill(),
	};
}

function serve(parent: Required<Pick<ChildProcess, 'send'>>): void {
	let body = Buffer.from('{}');
	const server = createServer((_request, reply) => {
		reply.writeHead(200, {
			'content-type': 'application/json',
			'content-length': body.length,
			'x-ratelimit-limit': '1000000',
			'x-ratelimit-remaining': '999999',
		});
		reply.end(body);
	});
	process.on('message', (text: string) => {
		body = Buffer.from(text);
		parent.send('served');
	});
	process.on('disconnect', () => process.exit());
	server.listen(0, '127.0.0.1', () => parent.send((server.address() as AddressInfo).port));
}

if (process.argv[2] === '--serve') serve(process as Required<Pick<ChildProcess, 'send'>>);
