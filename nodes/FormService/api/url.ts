/** The URL that a text stands for, alone or relative to a base; undefined if it is none. */
export function parseUrl(text: string, base?: string): URL | undefined {
	return URL.canParse(text, base) ? new URL(text, base) : undefined;
}

/** Whether a value is the text of an absolute http or https URL, as it can be sent and opened. */
export function isWebUrl(value: unknown): value is string {
	return (
		typeof value === 'string' && /^https?:\/\/[^\s/?#]\S*$/i.test(value) && URL.canParse(value)
	);
}

/** The most redirects that are followed to one file. */
export const MAX_REDIRECTS = 5;

/** Whether a status redirects to another URL. 300, 304 and others do not. */
export function isRedirect(status: number): boolean {
	return [301, 302, 303, 307, 308].includes(status);
}

/** A part of a path, such as `login`, `sign_in`, `wp-login.php`; not of `signing.pdf`, `login.png`. */
const LOGIN = /(^|[/_-])(log|sign)[_-]?in(\.(php|html?|aspx?|jsp))?([/;]|$)/i;

/** Whether a link or the header of a redirect leads to a page on which people log in. */
export function isLoginLink(link: unknown, base = 'https://host'): boolean {
	const pathname = typeof link === 'string' ? parseUrl(link, base)?.pathname : undefined;
	return pathname !== undefined && LOGIN.test(pathname);
}

/** A link that may be followed, or why it may not. */
export type CheckedLink = { url: string; isOwn: boolean } | { reason: string };

/**
 * Checks a link to a file, or a redirect to one, before anything is sent to it. A link that the service
 * made may lead anywhere. Respondents choose the links to their files: these may lead to the service's
 * own origin, or to a public host over https. For names that resolve to a private address there is n8n's
 * own protection (`N8N_SSRF_PROTECTION_ENABLED`), since a node cannot look up names.
 *
 * @param base the URL that a relative link starts at
 * @param origin the account's origin
 * @param kind an upload of a respondent, or a PDF whose link the service itself made
 * @returns `isOwn`: the link is on the account's origin
 */
export function checkLink(
	link: string,
	base: string,
	origin: string,
	kind: 'upload' | 'pdf',
): CheckedLink {
	const url = parseUrl(link, base);
	const service = new URL(origin);
	if (url === undefined || !/^https?:$/.test(url.protocol)) {
		return { reason: 'it is not a web address' };
	}
	if (url.username || url.password) return { reason: 'it contains a user name or a password' };
	// a service behind a proxy that ends TLS can take itself for http
	if (service.protocol === 'https:' && url.host === service.host) url.protocol = 'https:';
	url.hash = '';
	const isOwn = url.origin === origin;
	if (isOwn || kind === 'pdf') return { url: url.href, isOwn };
	if (isPrivate(url.hostname))
		return { reason: 'it leads to an IP address or a private host name' };
	if (url.hostname === service.hostname) {
		return { reason: "it leads to another port of Form Service's host" };
	}
	if (url.protocol === 'http:') return { reason: 'it is not encrypted (http instead of https)' };
	return { url: url.href, isOwn };
}

/**
 * Whether a host is an address or has a name of private networks alone (RFC 6761, RFC 6762, RFC 8375).
 * `URL` writes every form of an IPv4 address as four numbers, and IPv6 in brackets.
 */
function isPrivate(hostname: string): boolean {
	const name = hostname.replace(/\.$/, '');
	return /^\[|^[\d.]+$|^[^.]*$|(^|\.)(localhost|local|internal|home\.arpa)$/.test(name);
}
