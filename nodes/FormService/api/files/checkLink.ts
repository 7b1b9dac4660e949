import { parseUrl } from '../text';

export type FileKind = 'upload' | 'pdf';

/**
 * Checks whether the node may follow a link or redirect to a file. The service makes the links to PDFs, so a PDF may
 * be on any host. Respondents choose the links to uploads, so an upload must be on the service's origin, or on a
 * public host over https. Only n8n's `N8N_SSRF_PROTECTION_ENABLED` blocks names that lead to private IP addresses.
 *
 * @param origin the account's origin. The node sends the token only if the link has this origin
 * @throws Error with the reason if the node may not follow the link
 */
export function checkLink(
	link: string,
	base: string,
	origin: string,
	kind: FileKind,
): { url: string; hasAccountOrigin: boolean } {
	const url = parseUrl(link, base);
	const service = new URL(origin);
	if (url === undefined || !/^https?:$/.test(url.protocol)) {
		throw new Error('its link is not a web address');
	}
	if (url.username || url.password) throw new Error('its link contains a password');
	// behind a proxy that terminates TLS, the service may write its own links with http
	if (service.protocol === 'https:' && url.host === service.host) url.protocol = 'https:';
	url.hash = '';
	const hasAccountOrigin = url.origin === origin;
	if (hasAccountOrigin || kind === 'pdf') return { url: url.href, hasAccountOrigin };
	if (isIpOrPrivateName(url.hostname)) {
		throw new Error('its link leads to an IP address or a private host name');
	}
	if (url.hostname === service.hostname) {
		throw new Error("its link leads to another port of Form Service's host");
	}
	if (url.protocol === 'http:') throw new Error('its link is not encrypted (http, not https)');
	return { url: url.href, hasAccountOrigin };
}

/** Whether a host, as `URL` writes it, is an IP address, or a private name (RFC 6761, RFC 6762, RFC 8375). */
function isIpOrPrivateName(hostname: string): boolean {
	return /^[\d.]+$|^[^.]*\.?$|(^|\.)(localhost|local|internal|home\.arpa)\.?$/.test(hostname);
}
