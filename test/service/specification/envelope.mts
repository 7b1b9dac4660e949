type FieldErrors = Record<string, string[]>;

/** A failure that the service answers for: its status and the envelope of section 7. */
export const serviceError = (statusCode: number, message: string, errors?: FieldErrors) =>
	Object.assign(new Error(message), { statusCode, errors });

/** Status and body for a thrown value. An error that the request did not cause becomes a 500 without details. */
export function failureOf(error: unknown): { status: number; body: Record<string, unknown> } {
	const { statusCode = 500, message, errors } = error as Partial<ReturnType<typeof serviceError>>;
	if (statusCode >= 500) return { status: 500, body: { success: false, message: 'Server Error' } };
	const body = { success: false, message, ...(errors && { errors }) };
	return { status: statusCode === 415 ? 400 : statusCode, body };
}

/** A 400 whose message is the first of the field messages. */
export const invalid = (errors: FieldErrors) =>
	serviceError(400, Object.values(errors)[0][0], errors);
