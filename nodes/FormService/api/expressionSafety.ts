/**
 * Escapes a text from the service for a parameter's value. n8n evaluates a value that starts with "=" as an
 * expression, and a stranger can choose such a text.
 */
export function escapeExpression(text: string): string {
	return text.startsWith('=') ? ` ${text}` : text;
}
