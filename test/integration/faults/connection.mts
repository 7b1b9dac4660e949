import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { afterAll } from 'vitest';
import { selfSigned } from './certificate.mts';
import { closedPort, knowNoInvalidNames } from './unreachable.mts';

/** A place where no service can be reached, and why. What a person reads of it is in errorTexts.md. */
export type Unreachable = { name: string; baseUrl: string; cause: string };

/** What https requests got as far as asking for. */
export const asked: string[] = [];

/** Where no service is, on this machine alone: no name is looked up, and no port left to others. */
export async function unreachablePlaces(): Promise<Unreachable[]> {
	const https = await listening(
		createServer(selfSigned, (request, reply) => {
			asked.push(request.url ?? '');
			reply.end('{}');
		}),
	);
	knowNoInvalidNames();
	const plain = await listening(createHttpServer((_request, reply) => reply.end('{}')));
	return [
		{
			name: 'a refused connection',
			baseUrl: `http://127.0.0.1:${(await closedPort()).port}`,
			cause: 'temporarily-unavailable',
		},
		{
			name: 'a host name that does not exist',
			baseUrl: 'https://forms.invalid',
			cause: 'temporarily-unavailable',
		},
		{
			name: 'a certificate that nobody vouches for',
			baseUrl: `https://127.0.0.1:${portOf(https)}`,
			cause: 'configuration-invalid',
		},
		{
			name: 'a service that speaks no https',
			baseUrl: `https://127.0.0.1:${portOf(plain)}`,
			cause: 'configuration-invalid',
		},
	];
}

async function listening<T extends Server>(server: T): Promise<T> {
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	afterAll(() => void server.close());
	return server;
}

function portOf(server: Server): number {
	return (server.address() as AddressInfo).port;
}
