import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';
// names below private.example get the address of this machine, and names below invalid none
import './n8n/resolveToLoopback.mjs';

const pem = readFileSync(new URL('selfSigned.pem', import.meta.url));

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
	const servers = [
		createHttpServer(listener),
		createHttpsServer({ key: pem, cert: pem }, listener),
	];
	const ports: number[] = [];
	for (const server of servers) {
		server.listen(0, '127.0.0.1');
		await once(server, 'listening');
		ports.push((server.address() as AddressInfo).port);
		afterAll(() => {
			server.closeAllConnections();
			server.close();
		});
	}
	return {
		url: `http://127.0.0.1:${ports[0]}`,
		namedUrl: `https://files.private.example:${ports[1]}`,
		visits,
	};
}
