import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A request to which a fault applies. */
export type Meeting = {
	request: FastifyRequest;
	reply: FastifyReply;
	/** Delays the request by this many milliseconds; forever if the number is infinite. */
	wait: (milliseconds: number) => Promise<void>;
};

/**
 * A failure of one request, after the rate limits were checked.
 *
 * - `instead`: the service does no work, and `act` replies.
 * - `after`: the service does its work, and `spoil` damages the reply.
 */
export type Fault =
	| { stage: 'instead'; act(meeting: Meeting): void }
	| { stage: 'after'; spoil(meeting: Meeting, body: Buffer): unknown };

export const instead = (act: (meeting: Meeting) => void): Fault => ({ stage: 'instead', act });

export const after = (spoil: (meeting: Meeting, body: Buffer) => unknown): Fault => ({
	stage: 'after',
	spoil,
});

/** Creates a reply with this status in the envelope of the service. */
export const status = (code: number, message: string, errors?: Record<string, string[]>) =>
	instead(({ reply }) => {
		reply.code(code).send({ success: false, message, ...(errors && { errors }) });
	});

/** Creates a 429. `retryAfter` is in seconds; without it, the header is missing. */
export const tooMany = (limit: number, retryAfter?: number) =>
	instead(({ reply }) => {
		reply.headers({ 'x-ratelimit-limit': String(limit), 'x-ratelimit-remaining': '0' });
		if (retryAfter !== undefined) reply.header('retry-after', `${retryAfter}`);
		reply.code(429).send({ success: false, message: 'Too Many Attempts.' });
	});

/** Creates a 503 of a service in maintenance, with `Retry-After` in seconds or as a date. */
export const unavailable = (retryAfter: number | string) =>
	instead(({ reply }) => {
		reply.header('retry-after', `${retryAfter}`);
		reply.code(503).send({ success: false, message: 'Service Unavailable' });
	});

/**
 * Creates a 422 for answers, in the framework's words: `The data.9b1f… must be a valid email address.`
 *
 * @param rules the rule that the answer to each field breaks, such as "must be a valid email address"
 */
export const invalidAnswers = (rules: Record<string, string>) => {
	const texts = Object.entries(rules).map(([uuid, rule]) => `The data.${uuid} ${rule}.`);
	const hiddenCount = texts.length - 1;
	const more =
		hiddenCount > 0 ? ` (and ${hiddenCount} more error${hiddenCount > 1 ? 's' : ''})` : '';
	const errors = Object.keys(rules).map((uuid, index) => [`data.${uuid}`, [texts[index]]]);
	return status(422, texts[0] + more, Object.fromEntries(errors));
};

/** Delays the reply by this many milliseconds. The service acts at once. */
export const slow = (milliseconds: number) =>
	after(async ({ wait }, body) => {
		await wait(milliseconds);
		return body;
	});

export const redirect = (address: string, code = 302) =>
	instead(({ reply }) => void reply.redirect(address, code));

/** Creates a reply with this status, type and body. */
export const answer = (code: number, type: string, body: string | Buffer) =>
	instead(({ reply }) => void reply.type(type).code(code).send(body));

/** Creates a successful reply with this data. */
export const success = (data: unknown) =>
	answer(200, 'application/json', JSON.stringify({ success: true, data }));

/** Creates a list of about this many megabytes in valid JSON, sent in chunks without a length. */
export const largeList = (megabytes: number) =>
	instead(({ reply }) => {
		const records = Array<string>(megabytes).fill(`"${'x'.repeat(1_000_000)}",`);
		const pieces = ['{"success":true,"data":[', ...records, '""]}'];
		reply.type('application/json').send(Readable.from(pieces));
	});
