import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Counts what the HTTP servers of this process send, headers included, for each `authorization`. */
export function countSentBytes() {
	const bytes = new Map<string, number>();
	const written = new Map<Socket, number>();
	const add = (message: unknown) => {
		const { socket, request } = message as { socket: Socket; request: IncomingMessage };
		const sent = socket.bytesWritten - (written.get(socket) ?? 0);
		const { authorization = '' } = request.headers;
		written.set(socket, socket.bytesWritten);
		bytes.set(authorization, (bytes.get(authorization) ?? 0) + sent);
	};
	subscribe('http.server.response.finish', add);
	return {
		/** those to one token; to all when none is given */
		to: (token?: string) =>
			token === undefined
				? [...bytes.values()].reduce((sum, one) => sum + one, 0)
				: (bytes.get(`Bearer ${token}`) ?? 0),
		stop: () => unsubscribe('http.server.response.finish', add),
	};
}
