import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A request to which a fault applies, and its reply. */
export type Exchange = {
	request: FastifyRequest;
	reply: FastifyReply;
	/** Waits this many milliseconds of real or simulated time. Only simulated time can wait for `Infinity`. */
	wait: (milliseconds: number) => Promise<void>;
};

/**
 * A fault: what goes wrong with a request.
 *
 * - `instead`: the service checks the token and the rate limits, and does not act. `act` replies, or drops the
 *   connection.
 * - `after`: the service acts, and `spoil` damages the reply.
 */
export type Fault =
	| { stage: 'instead'; act(exchange: Exchange): void }
	| { stage: 'after'; spoil(exchange: Exchange, body: Buffer): unknown };

export const instead = (act: (exchange: Exchange) => void): Fault => ({ stage: 'instead', act });

export const after = (spoil: (exchange: Exchange, body: Buffer) => unknown): Fault => ({
	stage: 'after',
	spoil,
});

/** Creates a fault: the service does not act, and replies with this status, message and `errors`. */
export const status = (code: number, message: string, errors?: Record<string, string[]>) =>
	instead(({ reply }) => {
		reply.code(code).send({ success: false, message, ...(errors && { errors }) });
	});

/**
 * Creates a fault: the service replies 429.
 *
 * @param limit the `X-RateLimit-Limit` of the reply
 * @param retryAfter the seconds in `Retry-After`; by default, the reply has no `Retry-After`
 */
export const tooMany = (limit: number, retryAfter?: number) =>
	instead(({ reply }) => {
		reply.headers({ 'x-ratelimit-limit': String(limit), 'x-ratelimit-remaining': '0' });
		if (retryAfter !== undefined) reply.header('retry-after', `${retryAfter}`);
		reply.code(429).send({ success: false, message: 'Too Many Attempts.' });
	});

/**
 * Creates a fault: the service replies 503, as during maintenance.
 *
 * @param retryAfter the `Retry-After` of the reply: seconds, or a date such as `Sat, 31 Jan 2026 09:00:00 GMT`
 */
export const unavailable = (retryAfter: number | string) =>
	instead(({ reply }) => {
		reply.header('retry-after', `${retryAfter}`);
		reply.code(503).send({ success: false, message: 'Service Unavailable' });
	});

/**
 * Creates a fault: the service rejects answers with 422, in the words of a web framework: `The data.9b1f… must
 * be a valid email address.`
 *
 * @param rules the rule that each rejected answer breaks, by the UUID of the field: `{ "9b1f…": "must be a valid
 * email address" }`
 */
export const invalidAnswers = (rules: Record<string, string>) => {
	const texts = Object.entries(rules).map(([uuid, rule]) => `The data.${uuid} ${rule}.`);
	const hiddenCount = texts.length - 1;
	const more =
		hiddenCount > 0 ? ` (and ${hiddenCount} more error${hiddenCount > 1 ? 's' : ''})` : '';
	const errors = Object.keys(rules).map((uuid, index) => [`data.${uuid}`, [texts[index]]]);
	return status(422, texts[0] + more, Object.fromEntries(errors));
};

/** Creates a fault: the service acts immediately, and replies after this many milliseconds. */
export const slow = (milliseconds: number) =>
	after(async ({ wait }, body) => {
		await wait(milliseconds);
		return body;
	});

export const redirect = (url: string, code = 302) =>
	instead(({ reply }) => void reply.redirect(url, code));

/** Creates a fault: the service replies with this status, content type and body. */
export const rawReply = (code: number, type: string, body: string | Buffer) =>
	instead(({ reply }) => void reply.type(type).code(code).send(body));

/** Creates a fault: the service does not act, but replies with `success: true` and this data. */
export const success = (data: unknown) =>
	rawReply(200, 'application/json', JSON.stringify({ success: true, data }));

/**
 * Creates a fault: the service replies with a list of about this many megabytes. The list is valid JSON, sent
 * in chunks without a `Content-Length`.
 */
export const largeList = (megabytes: number) =>
	instead(({ reply }) => {
		const records = Array<string>(megabytes).fill(`"${'x'.repeat(1_000_000)}",`);
		const pieces = ['{"success":true,"data":[', ...records, '""]}'];
		reply.type('application/json').send(Readable.from(pieces));
	});
