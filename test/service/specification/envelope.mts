import { ZodError } from 'zod';

/** Creates an error that the service reports with this status and message. */
export const createServiceError = (statusCode: number, message: string) =>
	Object.assign(new Error(message), { statusCode });

/**
 * Returns the status and body of a thrown value, in the envelope of section 7. A body that breaks a rule is a
 * 400. An unexpected error is a 500 without details.
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
