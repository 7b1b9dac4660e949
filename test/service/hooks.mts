import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Exchange } from './faults.mts';
import type { Parts } from './parts.mts';

/** The path of the API (specification, section 9). */
export const API_PREFIX = '/api/v1';

/** Adds the hooks that record every request and apply the faults. */
export function addHooks(server: FastifyInstance, parts: Parts) {
	const { faults, requests, visits, now, wait } = parts;
	const createExchange = (reply: FastifyReply): Exchange => ({
		reply,
		async wait(milliseconds) {
			const gone = new AbortController();
			reply.raw.once('close', () => gone.abort());
			await wait(milliseconds, gone.signal);
		},
	});

	server.addHook('onRequest', async (request, reply) => {
		const { method, url } = request;
		const isApi = url.startsWith(`${API_PREFIX}/`);
		const path = isApi ? url.slice(API_PREFIX.length) : url;
		request.record = {
			...{ method, path: path.split('?')[0], status: 0 },
			query: { ...(request.query as object) },
			token: /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1],
		};
		(isApi ? requests : visits).push(request.record);
		request.fault = faults.pick({ method, path, isApi });
		// without this header, Node.js would send the time of this machine's clock
		reply.header('date', new Date(now()).toUTCString());
	});

	server.addHook('preHandler', async (request, reply) => {
		request.record.body = request.body;
		if (request.fault?.stage !== 'instead') return;
		request.fault.act(createExchange(reply));
		await reply;
		// without this, fastify would run the endpoint after a fault has dropped the connection
		reply.hijack();
	});

	server.addHook('onSend', async (request, reply, payload) => {
		const { fault } = request;
		if (fault?.stage !== 'after' || payload instanceof Readable) return payload;
		const body = Buffer.from((payload ?? '') as string | Buffer);
		return await fault.spoil(createExchange(reply), body);
	});

	server.addHook('onResponse', async ({ record }, reply) => {
		record.status = reply.statusCode;
	});
}
