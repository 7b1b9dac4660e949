import { createHash } from 'crypto';
import { attempt, escape, escapeRegExp, isError, uniq } from 'lodash';
import type { IExecuteSingleFunctions, ILoadOptionsFunctions, IPollFunctions } from 'n8n-workflow';
import { InputError } from './errors';
import { parseUrl } from './text';

export const CREDENTIAL_TYPE = 'formServiceApi';

export type N8nContext = IExecuteSingleFunctions | ILoadOptionsFunctions | IPollFunctions;

/** A base URL and an access token. The service applies its limits per account. */
export type Account = {
	/** `https://forms.example.com/api/v1` */
	baseUrl: string;
	/** Only requests to this origin contain the token. */
	origin: string;
	/** A hash, which does not reveal the token. */
	key: string;
	/** Replaces the token by `[access token]`. */
	redact: (text: string) => string;
};

export const API_PATH = '/api/v1';

// the expression in `FormService.node.ts` uses these patterns, too
export const MISSING_SCHEME_PATTERN = /^(?!\w+:\/\/)/;
export const TRAILING_API_PATH_PATTERN = /(?<!\/)\/+(?:api(?:\/v1)?\/*)?$/;

/** Users may leave out `https://`, and may add `/api/v1`. @throws Error with a sentence for the user */
export function normalizeBaseUrl(enteredUrl: string): string {
	const text = enteredUrl.trim();
	const url = parseUrl(text.replace(MISSING_SCHEME_PATTERN, 'https://'));
	const isHttpUrl = url !== undefined && /^https?:$/.test(url.protocol);
	if (!isHttpUrl || url.username || url.password || url.search || url.hash) {
		throw new Error(
			`'Base URL' is not the address of a service, without a user name, a "?" or a "#". Enter it such as https://forms.example.com.`,
		);
	}
	return url.origin + url.pathname.replace(TRAILING_API_PATH_PATTERN, '') + API_PATH;
}

/** @throws Error with a sentence for the user */
export function createAccount(credential: { accessToken?: unknown; baseUrl?: unknown }): Account {
	const token = String(credential.accessToken ?? '').trim();
	// a header may only have visible ASCII characters (RFC 9110, section 5.5; RFC 6750, section 2.1)
	if (!/^[\x21-\x7e]+$/.test(token)) {
		throw new Error(
			"'Access Token' is empty or contains a space, a line break or another invalid character. Copy the token again.",
		);
	}
	const baseUrl = normalizeBaseUrl(String(credential.baseUrl ?? ''));
	const key = createHash('sha256').update(`${baseUrl}\n${token}`).digest('hex');
	const redact = (text: string) => text.replace(createTokenPattern(token), '[access token]');
	return { baseUrl, origin: new URL(baseUrl).origin, key, redact };
}

/** Matches a token as it is, and as URLs, HTML and JSON write it. PHP writes "'" as `&#039;`, and "/" as `\/`. */
function createTokenPattern(token: string): RegExp {
	const patterns = Array.from(token, (sign) => {
		// unique, because equal spellings would make the pattern exponentially slow for a text that nearly has the
		// token
		const spellings = uniq([encodeURIComponent(sign), `\\${sign}`, escape(sign), sign]);
		return `(?:${spellings.map(escapeRegExp).join('|')})`.replace('#39', '#0?39');
	});
	return new RegExp(patterns.join(''), 'gi');
}

/** If the credential has expressions, items can have different accounts. */
export async function getAccount(n8n: N8nContext, itemIndex?: number): Promise<Account> {
	const credential = await n8n.getCredentials(CREDENTIAL_TYPE);
	const account = attempt(createAccount, credential);
	if (!isError(account)) return account;
	throw new InputError(n8n.getNode(), {
		message: account.message,
		description: 'Open the Form Service credential of this node to correct it.',
		itemIndex,
	});
}
