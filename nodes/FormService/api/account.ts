import { createHash } from 'crypto';
import { escapeRegExp } from 'lodash';
import type { IExecuteSingleFunctions, ILoadOptionsFunctions, IPollFunctions } from 'n8n-workflow';
import { InputError } from './errors';
import { parseUrl } from './url';

/** n8n's name of the credential, see credentials/FormServiceApi.credentials.ts. */
export const CREDENTIAL_TYPE = 'formServiceApi';

/** The contexts of n8n from which a request can be sent with the credential. */
export type N8nContext = IExecuteSingleFunctions | ILoadOptionsFunctions | IPollFunctions;

/** A base URL and an access token as one client of the service. The key does not reveal the token. */
export type Account = {
	/** The base URL of the API: `https://forms.example.com/api/v1`. */
	baseUrl: string;
	/** Scheme, host and port. Only this origin receives the token. */
	origin: string;
	/** Hash of base URL and token. */
	key: string;
	/** Replaces the token in a text, including its URL-encoded form, by `[access token]`. */
	redact: (text: string) => string;
};

/** The path of the supported version of the API (specification, section 9). */
export const API_PATH = '/api/v1';

/** Matches the start of a base URL without a scheme. The node's expression for the base URL uses the pattern, too. */
export const MISSING_SCHEME = /^(?!\w+:\/\/)/;

/** Matches the end of a base URL, if it is `/`, `/api` or `/api/v1`. The node's expression uses the pattern, too. */
export const TRAILING_API_PATH = /(?<!\/)\/+(?:api(?:\/v1)?\/*)?$/;

/**
 * Returns the base URL of the API. The entered URL may lack `https://`, and may end in `/`, `/api` or
 * `/api/v1`.
 *
 * @throws Error with a sentence for the user who entered the URL
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

/**
 * Creates the account of a credential.
 *
 * @throws Error with a sentence for the user who entered the credential
 */
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

/**
 * Returns the account of the node's credential. The credential can have expressions, so the account can differ
 * by item.
 *
 * @throws NodeOperationError if the credential is invalid
 */
export async function getAccount(n8n: N8nContext, itemIndex?: number): Promise<Account> {
	const credential = await n8n.getCredentials(CREDENTIAL_TYPE);
	try {
		return createAccount(credential);
	} catch (error) {
		throw createCredentialError(n8n, error, itemIndex);
	}
}

function createCredentialError(n8n: N8nContext, cause: unknown, itemIndex?: number): InputError {
	return new InputError(n8n.getNode(), {
		message: cause instanceof Error ? cause.message : String(cause),
		description: 'Open the Form Service credential of this node to correct it.',
		itemIndex,
		failure: { cause: 'credential-invalid' },
	});
}
