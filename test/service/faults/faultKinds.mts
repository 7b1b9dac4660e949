import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

export type Exchange = {
	request: FastifyRequest;
	reply: FastifyReply;
	/** Waits in real or simulated time. Only simulated time can wait for `Infinity`. */
	wait: (milliseconds: number) => Promise<void>;
};

/** What goes wrong with a request after its limits were checked: instead of the work, or after it. */
export type Fault =
	| { stage: 'instead'; act(exchange: Exchange): void }
	| { stage: 'after'; spoil(exchange: Exchange, body: Buffer): unknown };

export const instead = (act: (exchange: Exchange) => void): Fault => ({ stage: 'instead', act });

export const after = (spoil: (exchange: Exchange, body: Buffer) => unknown): Fault => ({
	stage: 'after',
	spoil,
});

export const status = (code: number, message: string, errors?: Record<string, string[]>) =>
	instead(({ reply }) => {
		reply.code(code).send({ success: false, message, ...(errors && { errors }) });
	});

/** Status 429, with these values of `X-RateLimit-Limit` and `Retry-After`. */
export const tooMany = (limit: number, retryAfter?: number) =>
	instead(({ reply }) => {
		reply.headers({ 'x-ratelimit-limit': String(limit), 'x-ratelimit-remaining': '0' });
		if (retryAfter !== undefined) reply.header('retry-after', `${retryAfter}`);
		reply.code(429).send({ success: false, message: 'Too Many Attempts.' });
	});

/** Status 503, as during maintenance. `Retry-After` has seconds or a date. */
export const unavailable = (retryAfter: number | string) =>
	instead(({ reply }) => {
		reply.header('retry-after', `${retryAfter}`);
		reply.code(503).send({ success: false, message: 'Service Unavailable' });
	});

/** The service acts immediately, and replies after this many milliseconds. */
export const slow = (milliseconds: number) =>
	after(async ({ wait }, body) => {
		await wait(milliseconds);
		return body;
	});

export const redirect = (url: string, code = 302) =>
	instead(({ reply }) => void reply.redirect(url, code));

export const rawReply = (code: number, type: string, body: string | Buffer) =>
	instead(({ reply }) => void reply.type(type).code(code).send(body));

/** The service does not act, but replies as if it had, with this data. */
export const success = (data: unknown) =>
	rawReply(200, 'application/json', JSON.stringify({ success: true, data }));

/** A list of about this many megabytes, in chunks without a `Content-Length`. */
export const largeList = (megabytes: number) =>
	instead(({ reply }) => {
		const records = Array<string>(megabytes).fill(`"${'x'.repeat(1_000_000)}",`);
		const pieces = ['{"success":true,"data":[', ...records, '""]}'];
		reply.type('application/json').send(Readable.from(pieces));
	});
