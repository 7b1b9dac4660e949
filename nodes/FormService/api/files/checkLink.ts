import { parseUrl } from '../url';

/**
 * The result of `checkLink`: the URL if the node may follow the link. Otherwise, the reason:
 * `it is not a web address`. The node sends the token only if `hasAccountOrigin` is true.
 */
export type LinkCheckResult = { url: string; hasAccountOrigin: boolean } | { reason: string };

/**
 * Checks whether the node may follow a link or redirect to a file:
 *
 * - The service makes the links to PDFs, so a PDF may be on any host.
 * - Respondents choose the links to uploads, so an upload must be on the service's origin, or on a public host
 *   over https.
 *
 * The check sees only the name of a host. To block names that lead to private IP addresses, set n8n's
 * `N8N_SSRF_PROTECTION_ENABLED`.
 *
 * @param base the URL that completes a relative link
 * @param origin the account's origin
 */
export function checkLink(
	link: string,
	base: string,
	origin: string,
	kind: 'upload' | 'pdf',
): LinkCheckResult {
	const url = parseUrl(link, base);
	const service = new URL(origin);
	if (url === undefined || !/^https?:$/.test(url.protocol)) {
		return { reason: 'it is not a web address' };
	}
	if (url.username || url.password) return { reason: 'it contains a user name or a password' };
	// behind a proxy that terminates TLS, the service may write its own links with http
	if (service.protocol === 'https:' && url.host === service.host) url.protocol = 'https:';
	url.hash = '';
	const hasAccountOrigin = url.origin === origin;
	if (hasAccountOrigin || kind === 'pdf') return { url: url.href, hasAccountOrigin };
	if (isIpOrPrivateName(url.hostname))
		return { reason: 'it leads to an IP address or a private host name' };
	if (url.hostname === service.hostname) {
		return { reason: "it leads to another port of Form Service's host" };
	}
	if (url.protocol === 'http:') return { reason: 'it is not encrypted (http instead of https)' };
	return { url: url.href, hasAccountOrigin };
}

/**
 * Whether a host is an IP address, a name without a dot, or a private host name, such as `nas.local` (RFC 6761,
 * RFC 6762, RFC 8375).
 *
 * @param hostname the host name from a `URL`, which writes an IPv4 address as four numbers and an IPv6 address
 * in brackets
 */
function isIpOrPrivateName(hostname: string): boolean {
	const name = hostname.replace(/\.$/, '');
	return /^\[|^[\d.]+$|^[^.]*$|(^|\.)(localhost|local|internal|home\.arpa)$/.test(name);
}
