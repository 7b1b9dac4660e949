/** The longest id that is sent; the ids of the service have 6 (forms) and 36 (UUID) characters. */
export const MAX_ID_LENGTH = 255;

const ID = new RegExp(`^[A-Za-z0-9_-]{1,${MAX_ID_LENGTH}}$`);

/**
 * Whether a value can be the id of a form or the UUID of a response or field: 1 to 255 letters,
 * digits, hyphens and underscores (specification, sections 2.2 to 2.4). Anything that would mean
 * something in a path (`/`, `.`, `%`) is not one and never leaves.
 */
export function isId(value: unknown): value is string {
	return typeof value === 'string' && ID.test(value);
}
