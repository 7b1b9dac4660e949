/**
 * Text from the service for use in a parameter's value. n8n evaluates a value that starts with "=" as an
 * expression, and a stranger can choose such a name.
 */
export function escapeExpression(text: string): string {
	return text.startsWith('=') ? ` ${text}` : text;
}
