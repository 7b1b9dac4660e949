import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** One request that a fault meets. */
export type Meeting = {
	request: FastifyRequest;
	reply: FastifyReply;
	/** keeps the request waiting for so many milliseconds, infinite ones for ever */
	wait: (milliseconds: number) => Promise<void>;
};

/**
 * What can go wrong with one request.
 * - `instead`: past the limiter, in place of the work; nothing is done.
 * - `after`: the work is done, then its reply is spoilt.
 */
export type Fault =
	| { stage: 'instead'; act(meeting: Meeting): void }
	| { stage: 'after'; spoil(meeting: Meeting, body: Buffer): unknown };

const send = (reply: FastifyReply, status: number, body: unknown) => {
	reply.code(status).send(body);
};

/** The service answers with this status and its envelope. */
export const status = (
	code: number,
	message: string,
	errors?: Record<string, string[]>,
): Fault => ({
	stage: 'instead',
	act: ({ reply }) => send(reply, code, { success: false, message, ...(errors && { errors }) }),
});

/** The service refuses with 429. `retryAfter` in seconds, or none. */
export const tooMany = (limit: number, retryAfter?: number): Fault => ({
	stage: 'instead',
	act({ reply }) {
		reply.headers({ 'x-ratelimit-limit': String(limit), 'x-ratelimit-remaining': '0' });
		if (retryAfter !== undefined) reply.header('retry-after', `${retryAfter}`);
		send(reply, 429, { success: false, message: 'Too Many Attempts.' });
	},
});

/** The service acts at once, and its reply comes `milliseconds` late. */
export function slow(milliseconds: number): Fault {
	return {
		stage: 'after',
		async spoil({ wait }, body) {
			await wait(milliseconds);
			return body;
		},
	};
}

export const redirect = (address: string, code = 302): Fault => ({
	stage: 'instead',
	act: ({ reply }) => void reply.redirect(address, code),
});

/** A reply of this status, type and text or bytes, whatever was asked. */
export const answer = (code: number, type: string, body: string | Buffer): Fault => ({
	stage: 'instead',
	act: ({ reply }) => send(reply.type(type), code, body),
});

/** A success with this data, whatever was asked; its text can have another encoding than UTF-8. */
export const success = (data: unknown, encoding: BufferEncoding = 'utf8') =>
	answer(200, 'application/json', Buffer.from(JSON.stringify({ success: true, data }), encoding));

/** A listing in well-formed JSON of about this many megabytes, sent in pieces without a length. */
export function bodyOf(megabytes: number): Fault {
	return {
		stage: 'instead',
		act({ reply }) {
			const records = Array<string>(megabytes).fill(`"${'x'.repeat(1_000_000)}",`);
			const pieces = ['{"success":true,"data":[', ...records, '""]}'];
			send(reply.type('application/json'), 200, Readable.from(pieces));
		},
	};
}
