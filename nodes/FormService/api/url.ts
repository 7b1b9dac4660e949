/** The URL that a text stands for, alone or on a page; undefined when it is none. */
export function parseUrl(text: string, base?: string): URL | undefined {
	return URL.canParse(text, base) ? new URL(text, base) : undefined;
}

/** The URL of a next page or of a redirect, if it is on the account's own origin. */
export function onOwnOrigin(target: string, base: string, origin: string): string | undefined {
	const url = parseUrl(target, base);
	if (url === undefined || url.username || url.password) return undefined;
	asSecureAs(new URL(origin), url);
	url.hash = '';
	return url.origin === origin ? url.href : undefined;
}

/**
 * Changes a link of the service to itself to https where the service has it: behind a proxy that ends
 * TLS, it can take itself for http.
 */
export function asSecureAs(own: URL, url: URL): void {
	if (url.protocol === 'http:' && own.protocol === 'https:' && url.host === own.host) {
		url.protocol = 'https:';
	}
}
