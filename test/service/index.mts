import fastify from 'fastify';
import { seed } from './demo/demoForms.mts';
import { addHooks, API_PREFIX } from './hooks.mts';
import { createPages } from './pages.mts';
import { createParts, type ServiceOptions } from './parts.mts';
import { toFailure } from './specification/access.mts';
import { createApi } from './specification/endpoints.mts';

export * from './faults.mts';
export type { RecordedRequest, ServiceOptions } from './parts.mts';
export { demoForms } from './demo/demoForms.mts';

export type Service = Awaited<ReturnType<typeof startService>>;

/** Starts the stand-in service. Only programs on this machine can connect. */
export async function startService(options: ServiceOptions = {}) {
	const parts = createParts(options);
	const { store, token, now } = parts;
	if (options.seed ?? true) seed(store, token, now);
	else store.addAccount({ tokens: [token] });
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
	parts.url = await server.listen({ host: '127.0.0.1', port: options.port ?? 0 });
	return {
		...parts,
		/** The Base URL for a credential. */
		baseUrl: parts.url + API_PREFIX,
		/** Stops the service and ends all requests. A second call does nothing. */
		close: async () => await server.close(),
	};
}
