/** A failure that the service answers for: its status and the envelope of section 7. */
export class ServiceError extends Error {
	readonly statusCode: number;
	readonly errors?: Record<string, string[]>;

	constructor(statusCode: number, message: string, errors?: Record<string, string[]>) {
		super(message);
		this.statusCode = statusCode;
		this.errors = errors;
	}
}

/** Status and body for a thrown value. An error that the request did not cause becomes a 500 without details. */
export function failureOf(error: unknown): { status: number; body: Record<string, unknown> } {
	if (error instanceof ServiceError) {
		const { statusCode, message, errors } = error;
		return { status: statusCode, body: { success: false, message, ...(errors && { errors }) } };
	}
	const { statusCode, message } = error as { statusCode?: number; message?: string };
	return statusCode !== undefined && statusCode < 500
		? { status: statusCode === 415 ? 400 : statusCode, body: { success: false, message } }
		: { status: 500, body: { success: false, message: 'Server Error' } };
}

/** A 400 whose message is the first of the field messages. */
export function invalid(errors: Record<string, string[]>): ServiceError {
	return new ServiceError(400, Object.values(errors)[0][0], errors);
}
