import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { IncomingHttpHeaders, RequestListener, Server as HttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';
// names below private.example get the address of this machine, and names below invalid none
import './n8n/resolveToLoopback.mjs';

const pem = readFileSync(new URL('selfSigned.pem', import.meta.url));
const selfSigned = { key: pem, cert: pem };

/** Returns the port of a server that ends with the test file. */
async function listen(server: HttpServer): Promise<number> {
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	afterAll(() => {
		server.closeAllConnections();
		server.close();
	});
	return (server.address() as AddressInfo).port;
}

/** Request options by which the node accepts the certificate of any host. */
export const toAnyCertificate = { allowUnauthorizedCerts: true };

/**
 * A server that is not the service's, for one test file. By default, it sends a small file. Returns its address,
 * its address by a name and https (see `toAnyCertificate`), and the requests that reached it.
 */
export async function elsewhere(
	answer: RequestListener = (_request, reply) => reply.end('a file'),
) {
	const visits: Array<{ url: string; headers: IncomingHttpHeaders }> = [];
	const listener: RequestListener = (request, reply) => {
		visits.push({ url: request.url ?? '', headers: request.headers });
		request.resume();
		answer(request, reply);
	};
	const port = await listen(createHttpServer(listener));
	const namedPort = await listen(createHttpsServer(selfSigned, listener));
	return {
		url: `http://127.0.0.1:${port}`,
		namedUrl: `https://files.private.example:${namedPort}`,
		visits,
	};
}

/** Where nothing listens on any machine: the port is of a protocol that nobody uses any more (RFC 1078). */
export const NOWHERE = 'http://127.0.0.1:1';

export type Unreachable = Awaited<ReturnType<typeof unreachablePlaces>>[number];

/** Where no service can be reached, and why; `asked` is what got as far as asking for something. */
export async function unreachablePlaces() {
	const { url, namedUrl, visits } = await elsewhere();
	const withoutHttps = url.replace('http:', 'https:');
	const places = [
		{ name: 'a refused connection', baseUrl: NOWHERE },
		{ name: 'a host name that does not exist', baseUrl: 'https://forms.invalid' },
		{ name: 'a certificate that nobody vouches for', baseUrl: namedUrl },
		{ name: 'a service that speaks no https', baseUrl: withoutHttps },
	];
	return places.map((place) => ({ ...place, asked: visits }));
}
