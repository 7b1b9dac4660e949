/** The URL that a text stands for, alone or on a page; undefined when it is none. */
export function parseUrl(text: string, base?: string): URL | undefined {
	return URL.canParse(text, base) ? new URL(text, base) : undefined;
}

/** Whether a value is the text of an absolute http or https URL, as it can be sent and opened. */
export function isWebUrl(value: unknown): value is string {
	return (
		typeof value === 'string' &&
		/^https?:\/\/[^\s/?#]/i.test(value) &&
		!/\s/.test(value) &&
		URL.canParse(value)
	);
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
 * Changes a link of the service to itself to https if the service uses https: a service behind a proxy
 * that ends TLS can take itself for http.
 */
function asSecureAs(service: URL, url: URL): void {
	if (url.protocol === 'http:' && service.protocol === 'https:' && url.host === service.host) {
		url.protocol = 'https:';
	}
}

/** The most redirects that are followed for one request. */
export const MAX_REDIRECTS = 5;

/** Whether a status redirects to another URL. 300, 304 and others do not. */
export function isRedirect(status: number): boolean {
	return [301, 302, 303, 307, 308].includes(status);
}

/** A part of a path, such as `login`, `sign_in`, `wp-login.php`; not of `signing.pdf`, `login.png`. */
const LOGIN = /(^|[/_-])(log|sign)[_-]?in(\.(php|html?|aspx?|jsp))?([/;]|$)/i;

/**
 * Whether a link or the header of a redirect leads to a page on which people log in.
 *
 * @param base the URL that a relative link starts at
 */
export function leadsToLogin(link: unknown, base = 'https://host'): boolean {
	const pathname = typeof link === 'string' ? parseUrl(link, base)?.pathname : undefined;
	return pathname !== undefined && LOGIN.test(pathname);
}

/** A link that may be followed, or why it may not. */
export type CheckedLink = { url: string; isOwn: boolean } | { reason: string };

/**
 * Checks a link to a file, or a redirect to one, before anything is sent to it. The link must be https;
 * http is accepted on the service's own host, if the service itself uses http. Respondents choose the links
 * to their files, so an IP address or localhost must be the service's own host and port. For names that
 * resolve to such an address there is n8n's own protection (`N8N_SSRF_PROTECTION_ENABLED`), since a node
 * cannot look up names.
 *
 * @param base the URL that a relative link starts at
 * @param origin the account's origin
 * @param isOfService the service itself made the link; it may lead to another port of the service's host
 * @returns `isOwn`: the link is on the account's origin
 */
export function checkLink(
	link: string,
	base: string,
	origin: string,
	isOfService: boolean,
): CheckedLink {
	const url = parseUrl(link, base);
	const service = new URL(origin);
	if (url === undefined || !/^https?:$/.test(url.protocol)) {
		return { reason: 'it is not a web address' };
	}
	asSecureAs(service, url);
	if (url.username || url.password) return { reason: 'it contains a user name or a password' };
	const isOwn = url.origin === origin;
	const isOwnHost = url.hostname === service.hostname;
	if (isAddress(url.hostname) && !isOwn && !(isOfService && isOwnHost)) {
		return { reason: 'it leads to an IP address or to localhost' };
	}
	if (url.protocol === 'http:' && !(isOwnHost && service.protocol === 'http:')) {
		return { reason: 'it is not encrypted (http instead of https)' };
	}
	url.hash = '';
	return { url: url.href, isOwn };
}

/** `URL` writes every form of an IPv4 address as four numbers, and IPv6 in brackets. */
function isAddress(hostname: string): boolean {
	return /^\[|^[\d.]+$|^(.*\.)?localhost\.?$/.test(hostname);
}
