import type { Account } from '../account';
import type { Endpoint } from '../endpoints';
import { onOwnOrigin, parseUrl } from '../url';
import type { Reply } from './http';

/** The most redirects that are followed for one request. */
export const MAX_REDIRECTS = 5;

/** Whether a status redirects to another URL. 300, 304 and others do not. */
export function isRedirect(status: number): boolean {
	return [301, 302, 303, 307, 308].includes(status);
}

/**
 * Where a redirect is followed to: only for what is safe to send again, and only on the account's own
 * origin. A redirect to a login page is not followed, since the redirect says more than the page.
 *
 * @param url the URL that was requested
 * @returns the whole URL; undefined if the reply is to be taken as it is
 */
export function redirectOf(
	{ status, headers: { location } }: Pick<Reply, 'status' | 'headers'>,
	url: string,
	{ effect }: Endpoint,
	{ origin }: Pick<Account, 'origin'>,
): string | undefined {
	if (effect.kind !== 'safe' || !isRedirect(status) || typeof location !== 'string')
		return undefined;
	const target = onOwnOrigin(location, url, origin);
	return target === undefined || isLogin(new URL(target)) ? undefined : target;
}

/** A part of a path, such as `login`, `sign_in`, `wp-login.php`; not of `signing.pdf`, `login.png`. */
const LOGIN = /(^|[/_-])(log|sign)[_-]?in(\.(php|html?|aspx?|jsp))?([/;]|$)/i;

/** Whether people log in on a page. */
export function isLogin({ pathname }: URL): boolean {
	return LOGIN.test(pathname);
}

/** Whether a redirect leads to a login page. */
export function leadsToLogin({ location }: Reply['headers'], origin = 'https://host'): boolean {
	const target = typeof location === 'string' ? parseUrl(location, origin) : undefined;
	return target !== undefined && isLogin(target);
}
