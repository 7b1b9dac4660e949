import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** One request that a fault meets. */
export type Meeting = {
	request: FastifyRequest;
	reply: FastifyReply;
	/** keeps the request waiting for this many milliseconds, or forever if the number is infinite */
	wait: (milliseconds: number) => Promise<void>;
};

/**
 * What can go wrong with one request.
 * - `instead`: past the limiter, instead of the work; nothing is done.
 * - `after`: the work is done, then its reply is spoilt.
 */
export type Fault =
	| { stage: 'instead'; act(meeting: Meeting): void }
	| { stage: 'after'; spoil(meeting: Meeting, body: Buffer): unknown };

export const instead = (act: (meeting: Meeting) => void): Fault => ({ stage: 'instead', act });

export const after = (spoil: (meeting: Meeting, body: Buffer) => unknown): Fault => ({
	stage: 'after',
	spoil,
});

/** The service answers with this status and its envelope. */
export const status = (code: number, message: string, errors?: Record<string, string[]>) =>
	instead(({ reply }) => {
		reply.code(code).send({ success: false, message, ...(errors && { errors }) });
	});

/** The service rate-limits with 429. `retryAfter` in seconds, or none. */
export const tooMany = (limit: number, retryAfter?: number) =>
	instead(({ reply }) => {
		reply.headers({ 'x-ratelimit-limit': String(limit), 'x-ratelimit-remaining': '0' });
		if (retryAfter !== undefined) reply.header('retry-after', `${retryAfter}`);
		reply.code(429).send({ success: false, message: 'Too Many Attempts.' });
	});

/** The service is in maintenance for this many seconds, or until a date, and handles no request. */
export const unavailable = (retryAfter: number | string) =>
	instead(({ reply }) => {
		reply.header('retry-after', `${retryAfter}`);
		reply.code(503).send({ success: false, message: 'Service Unavailable' });
	});

/**
 * The service rejects answers with 422, in the framework's words: it names each answer by its path.
 *
 * @param rules what is wrong with the answer to each field, such as "must be a valid email address"
 */
export const invalidAnswers = (rules: Record<string, string>) => {
	const texts = Object.entries(rules).map(([uuid, rule]) => `The data.${uuid} ${rule}.`);
	const hiddenCount = texts.length - 1;
	const more =
		hiddenCount > 0 ? ` (and ${hiddenCount} more error${hiddenCount > 1 ? 's' : ''})` : '';
	const errors = Object.keys(rules).map((uuid, index) => [`data.${uuid}`, [texts[index]]]);
	return status(422, texts[0] + more, Object.fromEntries(errors));
};

/** The service acts at once, and its reply comes `milliseconds` late. */
export const slow = (milliseconds: number) =>
	after(async ({ wait }, body) => {
		await wait(milliseconds);
		return body;
	});

export const redirect = (address: string, code = 302) =>
	instead(({ reply }) => void reply.redirect(address, code));

/** A reply of this status, type and text or bytes, whatever was asked. */
export const answer = (code: number, type: string, body: string | Buffer) =>
	instead(({ reply }) => void reply.type(type).code(code).send(body));

/** A success with this data, whatever was asked. */
export const success = (data: unknown) =>
	answer(200, 'application/json', JSON.stringify({ success: true, data }));

/** A listing in well-formed JSON of about this many megabytes, sent in pieces without a length. */
export const bodyOf = (megabytes: number) =>
	instead(({ reply }) => {
		const records = Array<string>(megabytes).fill(`"${'x'.repeat(1_000_000)}",`);
		const pieces = ['{"success":true,"data":[', ...records, '""]}'];
		reply.type('application/json').send(Readable.from(pieces));
	});
