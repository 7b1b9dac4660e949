/** Whether a value is the text of an absolute http or https URL, as it can be sent and opened. */
export function isWebUrl(value: unknown): value is string {
	return (
		typeof value === 'string' &&
		/^https?:\/\/[^\s/?#]/i.test(value) &&
		!/\s/.test(value) &&
		URL.canParse(value)
	);
}
