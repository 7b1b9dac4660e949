import type { FastifyReply, FastifyRequest } from 'fastify';
import { ZodError } from 'zod';
import type { Parts } from '../parts.mts';
import type { Form } from '../store.mts';
import { decide } from './limiter.mts';

/** The error that an endpoint throws to make the service reply with this status and message. */
export const createServiceError = (statusCode: number, message: string) =>
	Object.assign(new Error(message), { statusCode });

/** Converts a thrown value to the status and the message of a reply (specification, section 7). */
export function toFailure(error: unknown): { status: number; message: string } {
	if (error instanceof ZodError) {
		const [{ path, message }] = error.issues;
		return { status: 400, message: `${path.join('.')}: ${message}` };
	}
	const { statusCode: status = 500, message = '' } = error as Error & { statusCode?: number };
	return status < 500 ? { status, message } : { status: 500, message: 'Server Error' };
}

/** Creates the check of header, token and limit that runs before every endpoint (sections 5 and 8). */
export function createAccessCheck({ store, perMinute, usage, now }: Parts) {
	return async (request: FastifyRequest, reply: FastifyReply) => {
		if (!/application\/json/i.test(request.headers.accept ?? '')) {
			return reply.redirect('/login', 302);
		}
		const { token = '' } = request.record;
		const account = store.accounts.find(({ tokens }) => tokens.includes(token));
		if (!account) throw createServiceError(401, 'Unauthenticated.');
		request.account = account;

		const decision = decide(usage.get(account.id), perMinute, now());
		usage.set(account.id, decision.usage);
		reply.headers(decision.headers);
		if (!decision.isAllowed) throw createServiceError(429, 'Too Many Attempts.');
		return undefined;
	};
}

/** Returns the form with this ID, or throws 404, or 403 for the form of another account. */
export function getAccessibleForm(request: FastifyRequest, { store }: Parts, id: string): Form {
	const form = store.form(id);
	if (!form) throw createServiceError(404, 'The form was not found.');
	if (form.accountId !== request.account?.id) {
		throw createServiceError(403, 'You have no access to the requested resource.');
	}
	return form;
}
