import {
	createServer,
	type IncomingHttpHeaders,
	type RequestListener,
	type Server,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';
import { selfSigned } from '../faults/certificate.mts';
// the names below private.example get the address of this machine, on every machine
import '../../n8n/safety/resolveToLoopback.mjs';

export type Visit = { url: string; headers: IncomingHttpHeaders };

export type Elsewhere = {
	/** Scheme, host and port; another origin than the service's, but the same host. */
	url: string;
	/** The same by a name and https, as respondents' links must be; see `toAnyCertificate`. */
	namedUrl: string;
	/** Every request that reached it. */
	visits: Visit[];
};

/** Request options by which the node accepts the certificate of any host. */
export const toAnyCertificate = { allowUnauthorizedCerts: true };

/**
 * A host that is not the service's, on this machine, for one test file. It notes what reaches it.
 *
 * @param answer what it replies; a small file when not given
 */
export async function elsewhere(
	answer: RequestListener = (_request, reply) => reply.end('a file'),
): Promise<Elsewhere> {
	const visits: Visit[] = [];
	const listener: RequestListener = (request, reply) => {
		visits.push({ url: request.url ?? '', headers: request.headers });
		answer(request, reply);
	};
	const port = await listen(createServer(listener));
	const namedPort = await listen(createHttpsServer(selfSigned, listener));
	return {
		url: `http://127.0.0.1:${port}`,
		namedUrl: `https://files.private.example:${namedPort}`,
		visits,
	};
}

/** Lets a server of this test file listen, and gives its port. */
async function listen(server: Server): Promise<number> {
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	afterAll(() => {
		server.closeAllConnections();
		server.close();
	});
	return (server.address() as AddressInfo).port;
}
