import { createHash } from 'crypto';
import { escapeRegExp } from 'lodash';
import type { IExecuteSingleFunctions, ILoadOptionsFunctions, IPollFunctions } from 'n8n-workflow';
import { createInputError } from './errors';
import { parseUrl } from './url';

/** The credential of the service, see credentials/FormServiceApi.credentials.ts. */
export const CREDENTIAL_TYPE = 'formServiceApi';

/** The contexts of n8n from which a request can be sent with the credential. */
export type N8nContext = IExecuteSingleFunctions | ILoadOptionsFunctions | IPollFunctions;

/** One user of the service. Its key and texts do not reveal the token. */
export type Account = {
	/** Ends in `/api/v1`, without a slash (specification, introduction). */
	baseUrl: string;
	/** Scheme, host and port: the only place that receives the token. */
	origin: string;
	/** Hash of base URL and token. */
	key: string;
	/** Removes the token from a text, also as URLs write it. */
	redact: (text: string) => string;
};

/** The path of the version of the API that this package supports (specification, section 9). */
export const API_PATH = '/api/v1';

/** Where a base URL lacks its scheme, and its end; the node's expression for the base URL uses both, too. */
export const MISSING_SCHEME = /^(?!\w+:\/\/)/;
export const TRAILING_API_PATH = /(?<!\/)\/+(?:api(?:\/v1)?\/*)?$/;

/**
 * Returns the base URL that requests are sent to, entered with or without https://, `/api`, `/api/v1` and a
 * trailing slash.
 *
 * @throws Error with a sentence for the person who entered it
 */
export function normalizeBaseUrl(enteredUrl: string): string {
	const text = enteredUrl.trim();
	const url = parseUrl(text.replace(MISSING_SCHEME, 'https://'));
	const isHttpUrl = url !== undefined && /^https?:$/.test(url.protocol);
	if (!isHttpUrl || url.username || url.password || url.search || url.hash) {
		throw new Error(
			`'Base URL' is not the address of a service, without a user name, a "?" or a "#". Enter it such as https://forms.example.com.`,
		);
	}
	return url.origin + url.pathname.replace(TRAILING_API_PATH, '') + API_PATH;
}

/** The account of a credential; throws an Error with a sentence for the person who entered it. */
export function createAccount(credential: { accessToken?: unknown; baseUrl?: unknown }): Account {
	const token = String(credential.accessToken ?? '').trim();
	// a header takes visible ASCII characters only (RFC 9110, section 5.5; RFC 6750, section 2.1)
	if (!/^[\x21-\x7e]+$/.test(token)) {
		throw new Error(
			"'Access Token' is empty or contains a space, a line break or another invalid character. Copy the token again.",
		);
	}
	const baseUrl = normalizeBaseUrl(String(credential.baseUrl ?? ''));
	const key = createHash('sha256').update(`${baseUrl}\n${token}`).digest('hex');
	const tokenPattern = new RegExp(
		[token, encodeURIComponent(token)].map(escapeRegExp).join('|'),
		'gi',
	);
	const redact = (text: string) => text.replace(tokenPattern, '[access token]');
	return { baseUrl, origin: new URL(baseUrl).origin, key, redact };
}

/** The account of the node's credential, whose fields can be expressions of the item. */
export async function getAccount(n8n: N8nContext, itemIndex?: number): Promise<Account> {
	const credential = await n8n.getCredentials(CREDENTIAL_TYPE);
	try {
		return createAccount(credential);
	} catch (error) {
		throw createInputError(n8n.getNode(), {
			message: error instanceof Error ? error.message : String(error),
			description: 'Open the Form Service credential of this node to correct it.',
			itemIndex,
			failure: { cause: 'credential-invalid' },
		});
	}
}
