import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { failureOf } from './specification/envelope.mts';
import { apiPlugin } from './specification/endpoints.mts';
import { addHooks, API_PREFIX } from './hooks.mts';
import { fileRoutes } from './pages/files.mts';
import { sendNotFound } from './pages/html.mts';
import { pageRoutes } from './pages/routes.mts';
import type { Parts } from './parts.mts';

/** The whole service on one server: the API, the forms' pages, and the files. */
export function buildServer(parts: Parts): FastifyInstance {
	const sendFailure = (error: unknown, reply: FastifyReply) => {
		const { status, body } = failureOf(error);
		return reply.code(status).send(body);
	};
	const server = fastify({
		// Requests that a fault leaves without a reply would keep the service from ending.
		forceCloseConnections: true,
		frameworkErrors: (error, _request, reply) => void sendFailure(error, reply as FastifyReply),
	});
	server.setErrorHandler((error, _request, reply) => sendFailure(error, reply));
	// Every request announces JSON (specification, section 4), also a DELETE, which has no body.
	const parse = server.getDefaultJsonParser('error', 'error');
	server.addContentTypeParser<string>(
		'application/json',
		{ parseAs: 'string' },
		(request, body, done) =>
			body === '' ? done(null, undefined) : void parse(request, body, done),
	);
	// Types only: the first hook gives every request its own call.
	server.decorateRequest('call');
	addHooks(server, parts);
	server.setNotFoundHandler((request, reply) =>
		request.url.startsWith(`${API_PREFIX}/`)
			? reply.code(404).send({ success: false, message: 'There is no such endpoint.' })
			: sendNotFound(reply),
	);
	server.register(apiPlugin(parts), { prefix: API_PREFIX });
	server.register(pageRoutes(parts));
	server.register(fileRoutes(parts));
	return server;
}
