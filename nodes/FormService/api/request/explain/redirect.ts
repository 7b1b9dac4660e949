import type { Explanation } from '../../errors';
import type { Headers } from '../../gate/rateHeaders';
import { parseUrl } from '../url';
import { CHECK_BASE_URL } from './words';

/** Explains a redirect that was not followed. */
export function explainRedirect(headers: Headers, origin: string): Explanation {
	const target = targetOf(headers.location, origin);
	if (target !== undefined && isLogin(target)) {
		return {
			message: 'The service asks for a login: it did not recognize the access token',
			description: `Enter a valid Access Token in the Form Service credential. ${CHECK_BASE_URL}`,
			failure: { cause: 'credential-invalid' },
		};
	}
	return {
		message: `The service at ${origin} sends the request ${destination(target, origin)}`,
		description: `${CHECK_BASE_URL} Use the address that the service really has.`,
		failure: { cause: 'configuration-invalid' },
	};
}

/** A part of a path, such as `login`, `sign_in`, `wp-login.php`; not of `signing.pdf`, `login.png`. */
const LOGIN = /(^|[/_-])(log|sign)[_-]?in(\.(php|html?|aspx?|jsp))?([/;]|$)/i;

/** Whether a page is one on which people log in. */
export function isLogin({ pathname }: URL): boolean {
	return LOGIN.test(pathname);
}

function destination(target: URL | undefined, origin: string): string {
	if (target === undefined) return 'somewhere else without saying where';
	if (target.origin === origin) return 'in a circle or to another page';
	return `to ${target.origin}, where the access token does not go`;
}

function targetOf(location: unknown, origin: string): URL | undefined {
	return typeof location === 'string' ? parseUrl(location, origin) : undefined;
}
