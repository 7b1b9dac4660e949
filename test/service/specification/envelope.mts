import { ZodError } from 'zod';

/** Creates an error. If an endpoint throws the error, the service replies with this status and message. */
export const createServiceError = (statusCode: number, message: string) =>
	Object.assign(new Error(message), { statusCode });

/**
 * Converts a thrown value to the status and the body of a reply, in the envelope of section 7. An invalid body
 * of a request is a 400. An unexpected error is a 500 without details.
 */
export function toFailure(error: unknown): { status: number; body: Record<string, unknown> } {
	if (error instanceof ZodError) {
		const [{ path, message }] = error.issues;
		return { status: 400, body: { success: false, message: `${path.join('.')}: ${message}` } };
	}
	const { statusCode = 500, message } = error as Partial<ReturnType<typeof createServiceError>>;
	if (statusCode >= 500) return { status: 500, body: { success: false, message: 'Server Error' } };
	return { status: statusCode, body: { success: false, message } };
}
