import { addressKindOf } from './addresses';
import { asSecureAs, parseUrl } from '../url';

/** A link that may be followed, and whether it is on the account's origin, where the token may go. */
export type CheckedLink =
	| { allowed: true; url: string; own: boolean }
	| { allowed: false; reason: string };

/**
 * Checks a link that came with a reply (a PDF, a file, a redirect to one) before anything is sent
 * there. It must be https, or the scheme of the service itself on the service's own host. A private
 * address is allowed only if the service is on one. Respondents choose the links to their files: one
 * to this machine must lead to the service's own host and port, and one to a link-local address, as
 * hosts keep secrets at, is never followed. A name that resolves to such an address is for n8n's own
 * protection (`N8N_SSRF_PROTECTION_ENABLED`) to stop: a node cannot look up names.
 *
 * @param base the page that the link stands on, for links without a host
 * @param origin the account's origin
 * @param fromService whether the service itself made the link, and no respondent can have chosen it
 */
export function checkLink(
	link: string,
	base: string,
	origin: string,
	fromService: boolean,
): CheckedLink {
	const url = parseUrl(link, base);
	if (url === undefined) return refuse('it is not a web address');
	const own = new URL(origin);
	asSecureAs(own, url);
	if (url.protocol !== 'https:' && url.protocol !== 'http:')
		return refuse('it is not a web address');
	if (url.username || url.password) return refuse('it holds a user name or a password');
	const kind = addressKindOf(url.hostname);
	const ownIsPublic = addressKindOf(own.hostname) === 'public';
	const isOwn = url.origin === origin;
	const isTrusted = isOwn || fromService;
	if (kind === 'linkLocal' && !(isOwn && fromService)) {
		return refuse('it leads to a link-local address');
	}
	if (kind !== 'public' && ownIsPublic) return refuse('it leads to a private address');
	if (kind === 'loopback' && !isTrusted) return refuse('it leads to the machine of n8n itself');
	const isNear = url.hostname === own.hostname || kind !== 'public';
	if (url.protocol === 'http:' && !(isNear && own.protocol === 'http:')) {
		return refuse('it is not encrypted (http instead of https)');
	}
	url.hash = '';
	return { allowed: true, url: url.href, own: isOwn };
}

/**
 * Whether a link leads into an API, however its path is written. Respondents choose the links to
 * their files: one that leads into the account's own API must not be followed with the token, or a
 * stranger could have whatever the account may read put into an item.
 */
export function leadsIntoApi(url: string): boolean {
	const path = decodedWholly(new URL(url).pathname);
	return path === undefined || /(^|[/\\])api([/\\;]|$)/i.test(path);
}

/** More often no server undoes the encoding of a path; each time costs as much as the path is long. */
const MAX_ENCODINGS = 5;

/**
 * A path without any percent-encoding, also where it is encoded several times; undefined when it
 * cannot be read.
 */
function decodedWholly(path: string): string | undefined {
	let encoded = path;
	for (let times = 0; times <= MAX_ENCODINGS; times++) {
		const decoded = decodedOnce(encoded);
		if (decoded === undefined || decoded === encoded) return decoded;
		encoded = decoded;
	}
	return undefined;
}

function decodedOnce(path: string): string | undefined {
	try {
		return decodeURIComponent(path);
	} catch {
		return undefined;
	}
}

function refuse(reason: string): CheckedLink {
	return { allowed: false, reason };
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
