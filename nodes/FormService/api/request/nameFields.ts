/** Matches `data.9b1f…`, `data[9b1f…]` and `"data.9b1f….0"` with the UUID or ID of a field, and a UUID alone. */
const FIELD_PATH =
	/(["'])?(?:\bdata(?:\.|\[["']?)([\w-]+)(?:["']?\])?|\b([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\b)(?:\.\d+)?\1/gi;

/**
 * Replaces the paths of answers in a message of the service: 'The data.9b1f… must be a valid email address.'
 * becomes 'The "Email address" must be a valid email address.'
 *
 * @param titles the titles of the form's fields by their UUIDs in lower case
 */
export function nameFields(
	message: string,
	titles: ReadonlyMap<string, string> = new Map(),
): string {
	return message.replace(FIELD_PATH, (path, _quote, name?: string, uuid?: string) => {
		const title = titles.get((name ?? uuid ?? '').toLowerCase());
		return title === undefined ? path : `"${title}"`;
	});
}
