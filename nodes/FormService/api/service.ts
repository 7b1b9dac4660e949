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
 * What the service does (specification, section 4), by a target that says what is asked for: n8n
 * composes an operation's, `targetOf` those of the trigger and the editor. All functions throw
 * NodeApiError or NodeOperationError with the context's itemIndex.
 */

/** The workspace as it came, secrets included (section 2.1). */
export async function getWorkspace(context: RequestContext, target: Target): Promise<IDataObject> {
	const { value } = await request(context, own(context, target));
	return parseWorkspace(context, value);
}

export type ListRecordsOptions = {
	/** Records that are enough. */
	limit?: number;
	/** How long the list may be given again; left out, only while it is being fetched. */
	lifetimes?: Lifetimes;
};

const lists = new TtlCache<IDataObject[]>();

const WHILE_UNDER_WAY: Lifetimes = { found: 0, failed: 0 };

/**
 * The forms with their fields, the fields of one form, or the responses of one, all of them and in the
 * service's order (section 4, rule 1). A list is fetched once for all who ask for it at the same moment
 * in the same way, unless one of them waits in the queue of the items and another goes before it.
 */
export async function listRecords(
	context: RequestContext,
	target: Target,
	options: ListRecordsOptions = {},
): Promise<IDataObject[]> {
	const { limit, lifetimes = WHILE_UNDER_WAY } = options;
	const { n8n, account, urgency, retry, transport, itemIndex } = context;
	const { url } = own(context, target);
	const { headers, timeout, proxy, skipSslCertificateValidation, allowedDomains } = transport ?? {};
	// another's timeout, or certificates that another does not check, must not be this one's
	const way = [headers, timeout, proxy, skipSslCertificateValidation, allowedDomains, retry];
	const key = account.key + JSON.stringify([url, limit, urgency, lifetimes, way]);
	const fetch = async () => (await listAll(context, { ...target, url }, limit)).records;
	const notSent = () => new NotSent(n8n.getNode(), itemIndex);
	const work = unlessAborted(lists.get(key, lifetimes, fetch), stopSignal(context), notSent);
	return await work.catch(async (error: unknown) => {
		// whoever asked first was cancelled; that is no reason for the others to go without
		const goOn = error instanceof NotSent && !hasStopped(context);
		if (goOn) return await listRecords(context, target, options);
		throw error;
	});
}

/**
 * The pages of a list one by one, for a caller that may have to stop between two of them. It shares
 * the list with nobody.
 */
export async function* pagesOf(
	context: RequestContext,
	target: Target,
	options?: PagesOptions,
): AsyncGenerator<ListPage, void> {
	yield* pagesOfList(context, own(context, target), options);
}

/** The link to the PDF of one response. */
export async function getPdfLink(context: RequestContext, target: Target): Promise<string> {
	const { value } = await request(context, own(context, target));
	return parsePdfLink(context, value);
}

/** Adds a response (section 4, rules 2 to 4) and gives what the service says of it. */
export async function addResponse(context: RequestContext, target: Target): Promise<IDataObject> {
	return parseAddedResponse(await change(context, target));
}

/** Updates settings of a form (section 4, rules 5 and 6) and gives its id, name and time of update. */
export async function updateSettings(
	context: RequestContext,
	target: Target,
): Promise<IDataObject> {
	return parseUpdatedForm(context, await change(context, target));
}

/** What leads out of the API is not sent, whatever an expression or a template has made of it. */
function own({ n8n, account, itemIndex }: RequestContext, target: Target): Target {
	const url = parseUrl(target.url)?.href;
	if (url?.startsWith(`${account.baseUrl}/`)) return { ...target, url };
	throw inputError(n8n.getNode(), {
		message: 'The request does not lead to the API of the service',
		description: 'Check the IDs in the parameters of this node.',
		itemIndex,
	});
}

/** Sends a change. Who then asks for a list gets one that has the change. */
async function change(context: RequestContext, target: Target): Promise<unknown> {
	try {
		return (await request(context, own(context, target))).value;
	} finally {
		lists.clear(context.account.key);
	}
}
