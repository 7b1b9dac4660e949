import type { IDataObject, IHttpRequestMethods } from 'n8n-workflow';
import type { Account } from './account';
import { isId } from './records';

/** What a request to an endpoint does. Retries and error texts follow from it alone. */
export type Effect = {
	/** What the last ID in the path belongs to, such as "form". Left out where there is no ID. */
	noun?: string;
} &
	/** Only reads, or leaves the same after a second time (RFC 9110, section 9.2). */
	(| { kind: 'safe' | 'idempotent' }
		/** Must not be sent twice. If it may have acted: a sentence without its full stop, and what to check. */
		| { kind: 'once'; ifUncertain: { message: string; description: string } }
	);

/** One endpoint: its method and its path below the base URL, with `{placeholders}` for IDs. */
export type Endpoint = { method: IHttpRequestMethods; url: string; effect: Effect };

/** The endpoints of the service (specification, section 4). */
export const endpoints = {
	getWorkspace: { method: 'GET', url: '/workspace', effect: { kind: 'safe' } },
	listForms: { method: 'GET', url: '/forms', effect: { kind: 'safe' } },
	listFields: {
		method: 'GET',
		url: '/forms/{formId}/fields',
		effect: { kind: 'safe', noun: 'form' },
	},
	listResponses: {
		method: 'GET',
		url: '/responses/{formId}',
		effect: { kind: 'safe', noun: 'form' },
	},
	getPdf: {
		method: 'GET',
		url: '/response/{responseId}/pdf',
		effect: { kind: 'safe', noun: 'response' },
	},
	addResponse: {
		method: 'POST',
		url: '/forms/{formId}/response',
		effect: {
			kind: 'once',
			noun: 'form',
			ifUncertain: {
				message: 'The response may or may not have been added',
				description:
					"To avoid a duplicate, it was not sent again. Check the form's responses before you run this item again.",
			},
		},
	},
	updateSettings: {
		method: 'POST',
		url: '/forms/{formId}/settings',
		effect: { kind: 'idempotent', noun: 'form' },
	},
} as const satisfies Record<string, Endpoint>;

/** One request to an endpoint, without n8n's request options. */
export type Target = {
	endpoint: Endpoint;
	/** The whole URL with its query. It must be below the account's base URL. */
	url: string;
	body?: IDataObject;
};

/**
 * The path of a request below the base URL.
 *
 * @param ids the values of the `{placeholders}`
 * @throws Error if a placeholder has no valid ID, so that such a request is never sent
 */
export function fillPath({ url }: Endpoint, ids: Readonly<Record<string, string>> = {}): string {
	return url.replace(/\{(\w+)\}/g, (_placeholder, name: string) => {
		if (isId(ids[name])) return ids[name];
		throw new Error(`"${name}" is not a valid ID`);
	});
}

/** The target of a request that no operation of the node has composed. */
export function createTarget(
	{ baseUrl }: Pick<Account, 'baseUrl'>,
	endpoint: Endpoint,
	ids?: Readonly<Record<string, string>>,
	query: Readonly<Record<string, string>> = {},
): Target {
	const url = new URL(baseUrl + fillPath(endpoint, ids));
	for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
	return { endpoint, url: url.href };
}
