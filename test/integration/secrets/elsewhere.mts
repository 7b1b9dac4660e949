import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

export type Visit = { url: string; headers: IncomingHttpHeaders };

export type Elsewhere = {
	/** Scheme, host and port; another origin than the service's. */
	url: string;
	/** Every request that reached it. */
	visits: Visit[];
};

/**
 * A host that is not the service's, on this machine, for one test file. It notes what reaches it.
 *
 * @param answer what it replies; a small file when not given
 */
export async function elsewhere(
	answer: RequestListener = (_request, reply) => reply.end('a file'),
): Promise<Elsewhere> {
	const visits: Visit[] = [];
	const server = createServer((request, reply) => {
		visits.push({ url: request.url ?? '', headers: request.headers });
		answer(request, reply);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	afterAll(() => {
		server.closeAllConnections();
		server.close();
	});
	return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, visits };
}
