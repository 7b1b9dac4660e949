import type { IHttpRequestMethods } from 'n8n-workflow';

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
