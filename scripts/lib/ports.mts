import { createServer } from 'node:net';

async function tryPort(port: number): Promise<number | undefined> {
	const server = createServer();
	return await new Promise((resolve) => {
		server.once('error', () => resolve(undefined));
		server.listen(port, '127.0.0.1', () => {
			const address = server.address();
			server.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
		});
	});
}

/** A free port of this machine: the wanted one, else any. */
export async function freePort(wanted = 0): Promise<number> {
	const port = (await tryPort(wanted)) ?? (await tryPort(0));
	if (port === undefined) throw new Error('No free port on 127.0.0.1.');
	return port;
}
