import {
	createServer,
	request as send,
	type IncomingHttpHeaders,
	type RequestListener,
	type Server,
} from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

export type Visit = { url: string; headers: IncomingHttpHeaders };

export type Elsewhere = {
	/** Scheme, host and port; another origin than the service's. */
	url: string;
	/** The same as a host of a private network, where a respondent's link may lead; see `privateNetwork`. */
	privateUrl: string;
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
	const port = await listen(server);
	return { url: `http://127.0.0.1:${port}`, privateUrl: `http://10.9.8.7:${port}`, visits };
}

/**
 * Request options by which the node finds any host on this machine, at the port that is asked for: a
 * proxy stands in for a private network, which a machine need not have.
 */
export async function privateNetwork(): Promise<{ proxy: string }> {
	const server = createServer((request, reply) => {
		const { port, pathname, search } = new URL(request.url!);
		const { method, headers } = request;
		const onward = send({ host: '127.0.0.1', port, path: pathname + search, method, headers });
		onward.on('response', (answer) => {
			reply.writeHead(answer.statusCode!, answer.headers);
			answer.pipe(reply);
			reply.on('close', () => answer.destroy());
		});
		onward.on('error', () => reply.destroy());
		request.pipe(onward);
	});
	return { proxy: `http://127.0.0.1:${await listen(server)}` };
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
