import type { IDataObject, IHttpRequestMethods } from 'n8n-workflow';
import type { Account } from './account';
import { isId } from './records';

/** One endpoint: its method and its path below the base URL, with `{placeholders}` for ids. */
export type Endpoint = {
	method: IHttpRequestMethods;
	url: string;
	/**
	 * What sending it twice would do: nothing (`read`), the same again (`repeatable`), or add a
	 * second response (`once`).
	 */
	effect: 'read' | 'repeatable' | 'once';
};

/** The seven endpoints of the service (specification, section 4). */
export const endpoints = {
	getWorkspace: { method: 'GET', url: '/workspace', effect: 'read' },
	listForms: { method: 'GET', url: '/forms', effect: 'read' },
	listFields: { method: 'GET', url: '/forms/{formId}/fields', effect: 'read' },
	listResponses: { method: 'GET', url: '/responses/{formId}', effect: 'read' },
	getPdf: { method: 'GET', url: '/response/{responseId}/pdf', effect: 'read' },
	addResponse: { method: 'POST', url: '/forms/{formId}/response', effect: 'once' },
	updateSettings: { method: 'POST', url: '/forms/{formId}/settings', effect: 'repeatable' },
} as const satisfies Record<string, Endpoint>;

/** One request to an endpoint, before n8n's options for it. */
export type Target = {
	endpoint: Endpoint;
	/** The whole URL with its query, below the base URL of the account: another one is refused. */
	url: string;
	body?: IDataObject;
};

/**
 * The target of a request that no operation of the node has composed.
 *
 * @param ids what stands for the `{placeholders}`
 * @throws Error when a placeholder has no valid id: such a request never leaves
 */
export function targetOf(
	{ baseUrl }: Pick<Account, 'baseUrl'>,
	endpoint: Endpoint,
	ids: Readonly<Record<string, string>> = {},
	query: Readonly<Record<string, string>> = {},
): Target {
	const path = endpoint.url.replace(/\{(\w+)\}/g, (_placeholder, name: string) => {
		const id = ids[name];
		if (!isId(id)) throw new Error(`"${name}" is not a valid ID`);
		return encodeURIComponent(id);
	});
	const url = new URL(baseUrl + path);
	for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
	return { endpoint, url: url.href };
}
