import { ZodError } from 'zod';

/** A failure that the service answers for: its status and message. */
export const serviceError = (statusCode: number, message: string) =>
	Object.assign(new Error(message), { statusCode });

/**
 * Status and body, the envelope of section 7, for a thrown value. A body that breaks a rule becomes a 400; an
 * error that the request did not cause a 500 without details.
 */
export function failureOf(error: unknown): { status: number; body: Record<string, unknown> } {
	if (error instanceof ZodError) {
		const [{ path, message }] = error.issues;
		return { status: 400, body: { success: false, message: `${path.join('.')}: ${message}` } };
	}
	const { statusCode = 500, message } = error as Partial<ReturnType<typeof serviceError>>;
	if (statusCode >= 500) return { status: 500, body: { success: false, message: 'Server Error' } };
	return { status: statusCode, body: { success: false, message } };
}
