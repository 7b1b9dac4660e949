import { setTimeout } from 'node:timers/promises';
import fastify, { type FastifyInstance } from 'fastify';
import { seed } from './demo/demoForms.mts';
import { createFaultRegistry } from './faults.mts';
import { addHooks, API_PREFIX } from './hooks.mts';
import { createPages } from './pages.mts';
import type { Parts, Service, ServiceOptions } from './parts.mts';
import { toFailure } from './specification/access.mts';
import { createApi } from './specification/endpoints.mts';
import { createReplyShapes } from './specification/lists.mts';
import { createStore } from './store.mts';

export * from './faults.mts';
export type { RecordedRequest, Service, ServiceOptions } from './parts.mts';
export { demoForms } from './demo/demoForms.mts';
export { createReplyShapes } from './specification/lists.mts';

/** Starts the stand-in service. Only programs on this machine can connect. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
	const { now = Date.now, token = 'demo-access-token', perMinute = 60, perDay = 1440 } = options;
	const store = createStore(now);
	if (options.seed ?? true) seed(store, token, now);
	else store.addAccount({ tokens: [token] });

	let url = '';
	const parts: Parts = {
		store,
		now,
		shapes: createReplyShapes(),
		faults: createFaultRegistry(),
		limits: { perMinute, perDay },
		usage: new Map(),
		requests: [],
		visits: [],
		wait: options.wait ?? (async (milliseconds) => await setTimeout(milliseconds)),
		latency: options.latency ?? (() => 0),
		secret: options.secret,
		origin: () => url,
	};
	const server = buildServer(parts);
	url = await server.listen({ host: '127.0.0.1', port: options.port ?? 0 });
	const { requests, visits, faults, shapes } = parts;
	return {
		...{ url, baseUrl: url + API_PREFIX, token },
		...{ requests, visits, store, faults, shapes },
		close: async () => await server.close(),
	};
}

/** Creates the server with the API, the pages of forms, and the files. */
function buildServer(parts: Parts): FastifyInstance {
	// close connections by force, because a fault can keep a connection open forever
	const server = fastify({ forceCloseConnections: true });
	server.setErrorHandler((error, _request, reply) => {
		const { status, message } = toFailure(error);
		return reply.code(status).send({ success: false, message });
	});
	server.setNotFoundHandler((_request, reply) =>
		reply.code(404).send({ success: false, message: 'There is nothing at this address.' }),
	);
	addHooks(server, parts);
	server.register(createApi(parts), { prefix: API_PREFIX });
	server.register(createPages(parts));
	return server;
}
