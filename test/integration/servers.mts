import { once } from 'node:events';
import {
	createServer as createHttpServer,
	type IncomingHttpHeaders,
	type RequestListener,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import {
	connect,
	createServer as createTcpServer,
	type AddressInfo,
	type Server,
	type Socket,
} from 'node:net';
import { afterAll } from 'vitest';
// names below private.example get the address of this machine, and names below invalid none
import './n8n/resolveToLoopback.mjs';

/**
 * What the stand-in for the service cannot be: other hosts, which keep files or get what a redirect sends,
 * servers that break HTTP itself byte by byte, and places without a server. All end with the test file.
 */

/**
 * A certificate that nobody vouches for, for localhost and 127.0.0.1, valid for 100 years. It
 * protects nothing: it is what a service with a certificate of its own shows. Made by
 * `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500
 * -subj /CN=localhost -addext "subjectAltName=DNS:localhost,IP:127.0.0.1"`.
 */
export const selfSigned = {
	key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgc6kKm5aPd47pj66Y
4rQUqQ4VN9FR7p7PIx/VUTeFrVShRANCAARcIqLaH905lqHUZvtVhXd2/47bI49n
PLMdKLZQVhFhDdP/p0uWWfdUXF+Ai5VnV4kJI+COz8PKUtTitQsQCJHG
-----END PRIVATE KEY-----`,
	cert: `-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUE8IrSLkKyxOPXSx2L+8NdrNY6mAwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA5MDEwMFoYDzIxMjYxMDI4
MDkwMTAwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARcIqLaH905lqHUZvtVhXd2/47bI49nPLMdKLZQVhFhDdP/p0uWWfdU
XF+Ai5VnV4kJI+COz8PKUtTitQsQCJHGo28wbTAdBgNVHQ4EFgQUrcerNr9yIANE
ptphE7RTzh/mq+gwHwYDVR0jBBgwFoAUrcerNr9yIANEptphE7RTzh/mq+gwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDRwAwRAIgVuszppJXC6CksIwduxxr+uR2ltKiOeUiQGI7C8KSgC4CIEoX
2c9PjP/KmrHtKdjPkhtoOvFfo33US4mxLugU2Vrm
-----END CERTIFICATE-----`,
};

/** Lets a server of this test file listen, and gives its port. */
async function listen(server: Server, end = () => {}): Promise<number> {
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	afterAll(() => {
		end();
		server.close();
	});
	return (server.address() as AddressInfo).port;
}

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
		request.resume();
		answer(request, reply);
	};
	const http = createHttpServer(listener);
	const https = createHttpsServer(selfSigned, listener);
	const port = await listen(http, () => http.closeAllConnections());
	const namedPort = await listen(https, () => https.closeAllConnections());
	return {
		url: `http://127.0.0.1:${port}`,
		namedUrl: `https://files.private.example:${namedPort}`,
		visits,
	};
}

/**
 * A server that speaks no HTTP of its own: for each request it does with the connection what `answer`
 * does.
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
	const port = await listen(server, () => open.forEach((socket) => socket.destroy()));
	return `http://127.0.0.1:${port}`;
}

/** A server that answers so; returns scheme, host and port. */
export async function httpServer(answer: RequestListener): Promise<string> {
	return (await elsewhere(answer)).url;
}

/** A place where no service can be reached, and why. What a person reads of it is in errorTexts.md. */
export type Unreachable = { name: string; baseUrl: string; cause: string };

/** What https requests got as far as asking for. */
export const asked: string[] = [];

/** Where no service is, on this machine alone: no name is looked up, and no port left to others. */
export async function unreachablePlaces(): Promise<Unreachable[]> {
	const https = createHttpsServer(selfSigned, (request, reply) => {
		asked.push(request.url ?? '');
		reply.end('{}');
	});
	const plain = createHttpServer((_request, reply) => reply.end('{}'));
	const temporary = 'temporarily-unavailable';
	const settings = 'configuration-invalid';
	const places: Array<[name: string, baseUrl: string, cause: string]> = [
		['a refused connection', `http://127.0.0.1:${(await closedPort()).port}`, temporary],
		['a host name that does not exist', 'https://forms.invalid', temporary],
		['a certificate that nobody vouches for', `https://127.0.0.1:${await listen(https)}`, settings],
		['a service that speaks no https', `https://127.0.0.1:${await listen(plain)}`, settings],
	];
	return places.map(([name, baseUrl, cause]) => ({ name, baseUrl, cause }));
}

/**
 * A port of this machine at which nothing listens, and cannot by chance: it is taken by the other end
 * of a connection.
 *
 * @returns the port, and what frees it
 */
export async function closedPort(): Promise<{ port: number; free(): Promise<void> }> {
	const server = createTcpServer();
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const holder = connect((server.address() as AddressInfo).port, '127.0.0.1');
	server.on('connection', (other) => other.on('error', () => {}).unref());
	await once(holder, 'connect');
	server.unref();
	holder.unref();
	return {
		port: holder.localPort!,
		async free() {
			holder.resetAndDestroy();
			await once(holder, 'close');
			server.close();
		},
	};
}
