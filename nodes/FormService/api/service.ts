import type { IDataObject } from 'n8n-workflow';
import type { Target } from './endpoints';
import { unlessAborted } from './clock';
import { inputError, NotSent } from './errors';
import { listAll, pagesOf as pagesOfList } from './replies/list';
import type { ListPage, PagesOptions } from './replies/list';
import {
	parseAddedResponse,
	parsePdfLink,
	parseUpdatedForm,
	parseWorkspace,
} from './replies/parse';
import { hasStopped, request, stopSignal } from './request/request';
import type { RequestContext } from './requestContext';
import { TtlCache } from './ttlCache';
import type { Lifetimes } from './ttlCache';
import { parseUrl } from './url';

/**
 * What the service does (specification, section 4). n8n composes the targets of operations, and `targetOf`
 * those of the trigger and the editor. All functions throw a NodeApiError or NodeOperationError with the
 * context's itemIndex.
 */

/** The workspace as received, with its secrets (section 2.1). */
export async function getWorkspace(context: RequestContext, target: Target): Promise<IDataObject> {
	const { value } = await request(context, withinApi(context, target));
	return parseWorkspace(context, value);
}

export type ListRecordsOptions = {
	/** The list is read no further than this many records. */
	limit?: number;
	/** How long the list is kept. Left out, it is shared only while it is being fetched. */
	lifetimes?: Lifetimes;
};

const lists = new TtlCache<IDataObject[]>();

const WHILE_UNDER_WAY: Lifetimes = { found: 0, failed: 0 };

/**
 * All forms with their fields, all fields of a form or all its responses, in the service's order (section
 * 4, rule 1). Callers who ask for one list at the same moment share one fetch, if they have the same
 * account, urgency and request options.
 */
export async function listRecords(
	context: RequestContext,
	target: Target,
	options: ListRecordsOptions = {},
): Promise<IDataObject[]> {
	const { limit, lifetimes = WHILE_UNDER_WAY } = options;
	const { n8n, account, urgency, retry, transport, itemIndex } = context;
	const { url } = withinApi(context, target);
	const { headers, timeout, proxy, skipSslCertificateValidation, allowedDomains } = transport ?? {};
	// a timeout or an unchecked certificate of one node must not apply to another
	const requestOptions = [
		headers,
		timeout,
		proxy,
		skipSslCertificateValidation,
		allowedDomains,
		retry,
	];
	const key = account.key + JSON.stringify([url, limit, urgency, lifetimes, requestOptions]);
	const fetch = async () => (await listAll(context, { ...target, url }, limit)).records;
	const notSent = () => new NotSent(n8n.getNode(), itemIndex);
	const work = unlessAborted(lists.get(key, lifetimes, fetch), stopSignal(context), notSent);
	return await work.catch(async (error: unknown) => {
		// the first caller was canceled, the others still need the list
		const isNeeded = error instanceof NotSent && !hasStopped(context);
		if (isNeeded) return await listRecords(context, target, options);
		throw error;
	});
}

/** The pages of a list one by one, for a caller that may stop between two of them. They are not shared. */
export async function* pagesOf(
	context: RequestContext,
	target: Target,
	options?: PagesOptions,
): AsyncGenerator<ListPage, void> {
	yield* pagesOfList(context, withinApi(context, target), options);
}

/** The link to the PDF of one response. */
export async function getPdfLink(context: RequestContext, target: Target): Promise<string> {
	const { value } = await request(context, withinApi(context, target));
	return parsePdfLink(context, value);
}

/** Adds a response (section 4, rules 2 to 4) and returns what the service says about it. */
export async function addResponse(context: RequestContext, target: Target): Promise<IDataObject> {
	return parseAddedResponse(await change(context, target));
}

/** Updates settings of a form (section 4, rules 5 and 6) and returns its id, name and time of update. */
export async function updateSettings(
	context: RequestContext,
	target: Target,
): Promise<IDataObject> {
	return parseUpdatedForm(context, await change(context, target));
}

/** Refuses a URL outside the API, whatever an expression or a template has made of it. */
function withinApi({ n8n, account, itemIndex }: RequestContext, target: Target): Target {
	const url = parseUrl(target.url)?.href;
	if (url?.startsWith(`${account.baseUrl}/`)) return { ...target, url };
	throw inputError(n8n.getNode(), {
		message: 'The request URL is outside the API',
		description: 'Check the IDs in the parameters of this node.',
		itemIndex,
	});
}

/** Sends a change, and drops the account's lists, which the change may have outdated. */
async function change(context: RequestContext, target: Target): Promise<unknown> {
	try {
		return (await request(context, withinApi(context, target))).value;
	} finally {
		lists.clear(context.account.key);
	}
}
