import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A request to which a fault applies, and its reply. */
export type Meeting = {
	request: FastifyRequest;
	reply: FastifyReply;
	/** Delays the request by this many milliseconds. If the number is infinite, the request never continues. */
	wait: (milliseconds: number) => Promise<void>;
};

/**
 * A failure of one request, after the service has checked the rate limits.
 *
 * - `instead`: the service does not act, and `act` replies.
 * - `after`: the service acts, and `spoil` damages the reply.
 */
export type Fault =
	| { stage: 'instead'; act(meeting: Meeting): void }
	| { stage: 'after'; spoil(meeting: Meeting, body: Buffer): unknown };

export const instead = (act: (meeting: Meeting) => void): Fault => ({ stage: 'instead', act });

export const after = (spoil: (meeting: Meeting, body: Buffer) => unknown): Fault => ({
	stage: 'after',
	spoil,
});

/** Creates a fault: the service replies with this status in its envelope. */
export const status = (code: number, message: string, errors?: Record<string, string[]>) =>
	instead(({ reply }) => {
		reply.code(code).send({ success: false, message, ...(errors && { errors }) });
	});

/** Creates a fault: the service acts, and replies with this status and `Retry-After`, but with a body of success. */
export const statusAfter = (code: number) =>
	after(({ reply }, body) => {
		reply.code(code).header('retry-after', '1');
		return body;
	});

/**
 * Creates a fault: the service replies 429. Without `retryAfter`, the reply has no `Retry-After`.
 *
 * @param retryAfter seconds
 */
export const tooMany = (limit: number, retryAfter?: number) =>
	instead(({ reply }) => {
		reply.headers({ 'x-ratelimit-limit': String(limit), 'x-ratelimit-remaining': '0' });
		if (retryAfter !== undefined) reply.header('retry-after', `${retryAfter}`);
		reply.code(429).send({ success: false, message: 'Too Many Attempts.' });
	});

/**
 * Creates a fault: the service replies 503, because the service is in maintenance.
 *
 * @param retryAfter seconds, or a date: `Sat, 31 Jan 2026 09:00:00 GMT`
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
 * @param rules the rule that an answer breaks, by the UUID of its field: `{ "9b1f…": "must be a valid email
 * address" }`
 */
export const invalidAnswers = (rules: Record<string, string>) => {
	const texts = Object.entries(rules).map(([uuid, rule]) => `The data.${uuid} ${rule}.`);
	const hiddenCount = texts.length - 1;
	const more =
		hiddenCount > 0 ? ` (and ${hiddenCount} more error${hiddenCount > 1 ? 's' : ''})` : '';
	const errors = Object.keys(rules).map((uuid, index) => [`data.${uuid}`, [texts[index]]]);
	return status(422, texts[0] + more, Object.fromEntries(errors));
};

/** Creates a fault: the service acts at once, and replies after this many milliseconds. */
export const slow = (milliseconds: number) =>
	after(async ({ wait }, body) => {
		await wait(milliseconds);
		return body;
	});

export const redirect = (address: string, code = 302) =>
	instead(({ reply }) => void reply.redirect(address, code));

/** Creates a fault: the service replies with this status, content type and body. */
export const answer = (code: number, type: string, body: string | Buffer) =>
	instead(({ reply }) => void reply.type(type).code(code).send(body));

/** Creates a fault: the service does not act, but replies with `success: true` and this data. */
export const success = (data: unknown) =>
	answer(200, 'application/json', JSON.stringify({ success: true, data }));

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
