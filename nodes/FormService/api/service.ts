import type { IDataObject } from 'n8n-workflow';
import type { Target } from './endpoints';
import { unlessAborted } from './clock';
import { inputError, NotSent } from './errors';
import { addedIn, pdfLinkIn, updatedIn, workspaceIn } from './replies/expected';
import { list } from './replies/list';
import type { Listing, ListOptions } from './replies/list';
import { request } from './request/request';
import { hasStopped, stopSignal } from './request/send';
import type { Sender } from './sender';
import { TtlCache } from './ttlCache';
import type { Lifetimes } from './ttlCache';
import { parseUrl } from './url';

/**
 * What the service does (specification, section 4), by a target that says what is asked for: n8n
 * composes an operation's, `targetOf` those of the trigger and the editor. All functions throw
 * NodeApiError or NodeOperationError with the sender's itemIndex.
 */

/** The workspace as it came, secrets included (section 2.1). */
export async function getWorkspace(sender: Sender, target: Target): Promise<IDataObject> {
	const { value } = await request(sender, own(sender, target));
	return workspaceIn(sender, value);
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
	sender: Sender,
	target: Target,
	options: ListRecordsOptions = {},
): Promise<IDataObject[]> {
	const { limit, lifetimes = WHILE_UNDER_WAY } = options;
	const { context, account, urgency, retry, transport, itemIndex } = sender;
	const { url } = own(sender, target);
	const { headers, timeout, proxy, skipSslCertificateValidation, allowedDomains } = transport ?? {};
	// another's timeout, or certificates that another does not check, must not be this one's
	const way = [headers, timeout, proxy, skipSslCertificateValidation, allowedDomains, retry];
	const key = account.key + JSON.stringify([url, limit, urgency, lifetimes, way]);
	const fetch = async () => (await list(sender, { ...target, url }, { limit })).records;
	const notSent = () => new NotSent(context.getNode(), itemIndex);
	const work = unlessAborted(lists.get(key, lifetimes, fetch), stopSignal(sender), notSent);
	return await work.catch(async (error: unknown) => {
		// whoever asked first was cancelled; that is no reason for the others to go without
		const goOn = error instanceof NotSent && !hasStopped(sender);
		if (goOn) return await listRecords(sender, target, options);
		throw error;
	});
}

/** The same for a caller that may have to stop between two pages; it shares the list with nobody. */
export async function listWhile(
	sender: Sender,
	target: Target,
	options: ListOptions & Required<Pick<ListOptions, 'goOn'>>,
): Promise<Listing> {
	return await list(sender, own(sender, target), options);
}

/** The link to the PDF of one response. */
export async function getPdfLink(sender: Sender, target: Target): Promise<string> {
	const { value } = await request(sender, own(sender, target));
	return pdfLinkIn(sender, value);
}

/** Adds a response (section 4, rules 2 to 4) and gives what the service says of it. */
export async function addResponse(sender: Sender, target: Target): Promise<IDataObject> {
	return addedIn(await change(sender, target));
}

/** Updates settings of a form (section 4, rules 5 and 6) and gives its id, name and time of update. */
export async function updateSettings(sender: Sender, target: Target): Promise<IDataObject> {
	return updatedIn(sender, await change(sender, target));
}

/** What leads out of the API is not sent, whatever an expression or a template has made of it. */
function own({ context, account, itemIndex }: Sender, target: Target): Target {
	const url = parseUrl(target.url)?.href;
	if (url?.startsWith(`${account.baseUrl}/`)) return { ...target, url };
	throw inputError(context.getNode(), {
		message: 'The request does not lead to the API of the service',
		description: 'Check the IDs in the parameters of this node.',
		itemIndex,
	});
}

/** Sends a change. Who then asks for a list gets one that has the change. */
async function change(sender: Sender, target: Target): Promise<unknown> {
	try {
		return (await request(sender, own(sender, target))).value;
	} finally {
		lists.clear(sender.account.key);
	}
}
