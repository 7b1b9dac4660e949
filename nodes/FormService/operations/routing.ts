import type { INodeProperties, INodePropertyRouting } from 'n8n-workflow';
import { VERSION_PATH } from '../api/account';
import type { Endpoint } from '../api/endpoints';
import { FORM_IN_URL } from '../parameters/formId';
import type { Prepare } from './operation';
import { checkItem } from './sendItem';

/**
 * What the node declares to n8n's routing, which composes each item's request: base URL and headers here;
 * method, path and query by the operation and its parameters. No expression throws, whatever it is given,
 * because n8n would then stop before the item is checked.
 *
 * @see https://docs.n8n.io/integrations/creating-nodes/build/reference/node-base-files/declarative-style-parameters/
 */

/** An expression's value as trimmed text. */
const textOf = (value: string) =>
	`(["string", "number"].includes(typeof ${value}) ? String(${value}) : "").trim()`;

/**
 * What n8n alone would send to, and checks a credential's allowed domains by. An expression cannot call
 * `normalizeBaseUrl` of api/account, so a property shows that both give the same.
 */
const version = VERSION_PATH.replaceAll('/', '\\/');
const baseURL = `={{ ${textOf('$credentials.baseUrl')}.replace(/\\/*(${version})?\\/*$/, "") + "${VERSION_PATH}" }}`;

export const requestDefaults = {
	baseURL,
	headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
};

/**
 * The routing of an operation: the endpoint that its request goes to, and what checks an item before
 * the first request leaves. The pagination function of the node (`sendItem`) does the sending.
 */
export function requestTo(endpoint: Endpoint, prepare: Prepare): INodePropertyRouting {
	const { method, url } = endpoint;
	const request = PLACEHOLDER.test(url) ? { method } : { method, url };
	return { request, send: { paginate: true, preSend: [checkItem(endpoint, prepare)] } };
}

/** A parameter that holds the ID in an endpoint's path: it declares the path. */
export function inPathOf({ url }: Endpoint, property: INodeProperties): INodeProperties {
	// a lone surrogate is the one text that encodeURIComponent does not take
	const rules = FORM_IN_URL.map((rule) => `.replace(${String(rule)}, "$1")`).join('');
	const id = `encodeURIComponent(${textOf('$value')}${rules}.toWellFormed())`;
	const path = url.replace(PLACEHOLDER, () => `{{ ${id} }}`);
	return { ...property, routing: { request: { url: `=${path}` } } };
}

const PLACEHOLDER = /\{\w+\}/;
