import type { IDataObject } from 'n8n-workflow';
import { getAccount } from './account';
import { endpoints } from './endpoints';
import { steadyClock } from './gate/accounts';
import { addedIn, pdfLinkIn, updatedIn, workspaceIn } from './replies/expected';
import { list } from './replies/list';
import type { Listed } from './replies/list';
import { request } from './request/request';
import { endpointUrl } from './request/url';
import type { Sender } from './sender';
import { change, sharedList } from './sharedList';

/**
 * The service, one function for each of its endpoints (specification, section 4). All throw
 * NodeApiError or NodeOperationError with the sender's itemIndex.
 */

/** The workspace as it came, secrets included (section 2.1). */
export async function getWorkspace(sender: Sender): Promise<IDataObject> {
	const account = await getAccount(sender.context, sender.itemIndex);
	const endpoint = endpoints.getWorkspace;
	const url = endpointUrl(account.baseUrl, endpoint);
	const { value } = await request(sender, account, { endpoint, url });
	return workspaceIn(sender, account, value);
}

/** All forms with their fields. */
export async function listForms(sender: Sender): Promise<IDataObject[]> {
	const account = await getAccount(sender.context, sender.itemIndex);
	const endpoint = endpoints.listForms;
	const url = endpointUrl(account.baseUrl, endpoint);
	return (await sharedList(sender, account, { endpoint, url })).records;
}

/** The fields of one form. */
export async function listFields(sender: Sender, formId: string): Promise<IDataObject[]> {
	const account = await getAccount(sender.context, sender.itemIndex);
	const endpoint = endpoints.listFields;
	const url = endpointUrl(account.baseUrl, endpoint, { formId });
	return (await sharedList(sender, account, { endpoint, url })).records;
}

export type ResponsesOptions = {
	status: 'all' | 'complete' | 'incomplete';
	/** Responses that are enough. */
	limit?: number;
	/** No further page is fetched after this time, in epoch milliseconds. */
	until?: number;
	/** Asked before each further page; the list is cut where it says no. */
	goOn?: () => boolean;
};

/** The responses of one form, in the service's order (section 4, rule 1). */
export async function listResponses(
	sender: Sender,
	formId: string,
	{ status, limit, until, goOn }: ResponsesOptions,
): Promise<Listed> {
	const account = await getAccount(sender.context, sender.itemIndex);
	const endpoint = endpoints.listResponses;
	const query: Record<string, string> =
		status === 'all' ? {} : { incomplete: String(status === 'incomplete') };
	const url = endpointUrl(account.baseUrl, endpoint, { formId }, query);
	const target = { endpoint, url };
	if (until === undefined && goOn === undefined) {
		return await sharedList(sender, account, target, limit);
	}
	return await list(sender, account, target, { limit, until, goOn, now: steadyClock.now });
}

/** The link to the PDF of one response. */
export async function getPdfLink(sender: Sender, responseId: string): Promise<string> {
	const account = await getAccount(sender.context, sender.itemIndex);
	const endpoint = endpoints.getPdf;
	const url = endpointUrl(account.baseUrl, endpoint, { responseId });
	const { value } = await request(sender, account, { endpoint, url });
	return pdfLinkIn(sender, account, value);
}

/** Adds a response (section 4, rules 2 to 4) and gives what the service says of it. */
export async function addResponse(
	sender: Sender,
	formId: string,
	answers: Readonly<Record<string, string | number>>,
): Promise<IDataObject> {
	const account = await getAccount(sender.context, sender.itemIndex);
	const endpoint = endpoints.addResponse;
	const url = endpointUrl(account.baseUrl, endpoint, { formId });
	return addedIn(await change(sender, account, { endpoint, url, body: { data: answers } }));
}

/** Updates settings of a form (section 4, rules 5 and 6) and gives its id, name and time of update. */
export async function updateSettings(
	sender: Sender,
	formId: string,
	settings: Readonly<Record<string, string | number | boolean | null>>,
): Promise<IDataObject> {
	const account = await getAccount(sender.context, sender.itemIndex);
	const endpoint = endpoints.updateSettings;
	const url = endpointUrl(account.baseUrl, endpoint, { formId });
	return updatedIn(
		sender,
		account,
		await change(sender, account, { endpoint, url, body: settings }),
	);
}
