import { ZodError } from 'zod';

/** Creates the error that an endpoint throws to make the service reply with this status and message. */
export const createServiceError = (statusCode: number, message: string) =>
	Object.assign(new Error(message), { statusCode });

/**
 * Converts a thrown value to the status and the body of a reply: `{success: false, message: "…"}`
 * (specification, section 7). If the body of the request is invalid, the status is 400. For an unexpected error,
 * the status is 500, and the message has no details.
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
