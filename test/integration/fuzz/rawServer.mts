import { once } from 'node:events';
import {
	createServer as createHttpServer,
	type IncomingMessage,
	type ServerResponse,
} from 'node:http';
import {
	createServer as createTcpServer,
	type AddressInfo,
	type Server,
	type Socket,
} from 'node:net';
import { afterAll } from 'vitest';

async function listen(server: Server, end: () => void): Promise<string> {
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	afterAll(() => {
		end();
		server.close();
	});
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/**
 * A server that speaks no HTTP of its own: for each request it does with the connection what `answer`
 * does. It ends with the test file.
 *
 * @returns scheme, host and port
 */
export async function rawServer(
	answer: (socket: Socket, request: string) => void,
): Promise<string> {
	const open = new Set<Socket>();
	const server = createTcpServer((socket) => {
		open.add(socket);
		socket.on('close', () => open.delete(socket)).on('error', () => {});
		let received = '';
		socket.on('data', (data) => {
			received += data.toString('latin1');
			if (!received.includes('\r\n\r\n')) return;
			answer(socket, received);
			received = '';
		});
	});
	return await listen(server, () => open.forEach((socket) => socket.destroy()));
}

/** A server whose replies are valid HTTP of whatever content. It ends with the test file. */
export async function httpServer(
	answer: (request: IncomingMessage, reply: ServerResponse) => void,
): Promise<string> {
	const server = createHttpServer((request, reply) => {
		request.resume();
		answer(request, reply);
	});
	return await listen(server, () => server.closeAllConnections());
}
