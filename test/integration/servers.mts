import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { IncomingHttpHeaders, RequestListener, Server as HttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';
// names below private.example get the address of this machine, and names below invalid none
import './n8n/resolveToLoopback.mjs';

/**
 * What the stand-in for the service cannot be: other hosts, which keep files or get what a redirect sends,
 * and places without a server. All end with the test file.
 */

/** The key and the certificate that a service of its own shows, in one file. */
const pem = readFileSync(new URL('selfSigned.pem', import.meta.url));
const selfSigned = { key: pem, cert: pem };

/** Lets a server of this test file listen, and gives its port. */
async function listen(server: HttpServer): Promise<number> {
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	afterAll(() => {
		server.closeAllConnections();
		server.close();
	});
	return (server.address() as AddressInfo).port;
}

type Visit = { url: string; headers: IncomingHttpHeaders };

type Elsewhere = {
	/** Scheme, host and port; another origin than the service's, but the same host. */
	url: string;
	/** The same by a name and https, as respondents' links must be; see `toAnyCertificate`. */
	namedUrl: string;
	/** Every request that reached it. */
	visits: Visit[];
};

/** Request options by which the node accepts the certificate of any host. */
export const toAnyCertificate = { allowUnauthorizedCerts: true };

/** A host that is not the service's, on this machine, for one test file. By default, it sends a small file. */
export async function elsewhere(
	answer: RequestListener = (_request, reply) => reply.end('a file'),
): Promise<Elsewhere> {
	const visits: Visit[] = [];
	const listener: RequestListener = (request, reply) => {
		visits.push({ url: request.url ?? '', headers: request.headers });
		request.resume();
		answer(request, reply);
	};
	const http = createHttpServer(listener);
	const https = createHttpsServer(selfSigned, listener);
	const port = await listen(http);
	const namedPort = await listen(https);
	return {
		url: `http://127.0.0.1:${port}`,
		namedUrl: `https://files.private.example:${namedPort}`,
		visits,
	};
}

/** Where nothing listens on any machine: the port is of a protocol that nobody uses any more (RFC 1078). */
export const NOWHERE = 'http://127.0.0.1:1';

/** A place where no service can be reached, and why. What a person reads of it is in errorTexts.md. */
export type Unreachable = {
	name: string;
	baseUrl: string;
	cause: string;
	/** What https requests got as far as asking for, at any of the places. */
	asked: readonly string[];
};

/** Where no service is, on this machine alone: no name is looked up, and no port left to others. */
export async function unreachablePlaces(): Promise<Unreachable[]> {
	const asked: string[] = [];
	const https = createHttpsServer(selfSigned, (request, reply) => {
		asked.push(request.url ?? '');
		reply.end('{}');
	});
	const plain = createHttpServer((_request, reply) => reply.end('{}'));
	const temporary = 'temporarily-unavailable';
	const settings = 'configuration-invalid';
	const places: Array<[name: string, baseUrl: string, cause: string]> = [
		['a refused connection', NOWHERE, temporary],
		['a host name that does not exist', 'https://forms.invalid', temporary],
		['a certificate that nobody vouches for', `https://127.0.0.1:${await listen(https)}`, settings],
		['a service that speaks no https', `https://127.0.0.1:${await listen(plain)}`, settings],
	];
	return places.map(([name, baseUrl, cause]) => ({ name, baseUrl, cause, asked }));
}
