import dns, { type LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { connect, createServer, type AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

/**
 * A port of this machine at which nothing listens, and cannot by chance: it is taken by the other end
 * of a connection.
 *
 * @returns the port, and what frees it
 */
export async function closedPort(): Promise<{ port: number; free(): Promise<void> }> {
	const server = createServer();
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

type Lookup = (
	hostname: string,
	options: unknown,
	callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

function lookUpBy(lookup: Lookup): void {
	Object.assign(dns, { lookup });
	syncBuiltinESMExports();
}

/** Makes names below `invalid` unknown at once, as they are to every name service (RFC 6761) in its own time. */
export function knowNoInvalidNames(): void {
	const lookup = dns.lookup as unknown as Lookup;
	const replacement: Lookup = (hostname, options, callback) => {
		if (!hostname.endsWith('.invalid')) return lookup(hostname, options, callback);
		const error = Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), {
			errno: -3008,
			code: 'ENOTFOUND',
			syscall: 'getaddrinfo',
			hostname,
		});
		process.nextTick(callback, error);
	};
	lookUpBy(replacement);
	// The files of one process share its modules.
	afterAll(() => lookUpBy(lookup));
}
