import type { IDataObject } from 'n8n-workflow';
import type { z } from 'zod';
import { getAccount } from './account';
import { endpoints } from './endpoints';
import { serviceError } from './errors';
import { steadyClock } from './gate/accounts';
import { isId } from './ids';
import { list } from './replies/list';
import type { Listed } from './replies/list';
import { isRecord } from './records';
import { shapeOf, unwrap } from './replies/content';
import { linkIn } from './replies/link';
import { request } from './request/request';
import { settingsUpdatedSchema, workspaceSchema } from './schemas';
import type { Sender } from './sender';
import { change, sharedList } from './sharedList';
import { endpointUrl } from './request/url';

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
	return checked(sender, workspaceSchema, unwrap(value).data, 'a workspace');
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
	const { data } = unwrap(value);
	const link = linkIn(data);
	if (link === undefined || !URL.canParse(link, account.baseUrl)) {
		throw unexpected(sender, data, 'a link to a PDF');
	}
	return new URL(link, account.baseUrl).href;
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
	const value = await change(sender, account, { endpoint, url, body: { data: answers } });
	const { data, message } = unwrap(value);
	const told = {
		...(message !== undefined && { message }),
		...(isRecord(data) ? data : isId(data) ? { uuid: data } : {}),
	};
	return Object.keys(told).length > 0 ? told : { success: true };
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
	const { data, message } = unwrap(
		await change(sender, account, { endpoint, url, body: settings }),
	);
	return {
		...(message !== undefined && { message }),
		...updated(sender, data),
	};
}

function checked<T extends z.ZodTypeAny>(
	sender: Sender,
	schema: T,
	data: unknown,
	what: string,
): IDataObject {
	if (isRecord(data) && schema.safeParse(data).success) return data;
	throw unexpected(sender, data, what);
}

/** Section 4, rule 6. The settings are updated, whatever is wrong with the reply. */
function updated({ context, itemIndex }: Sender, data: unknown): IDataObject {
	if (isRecord(data) && settingsUpdatedSchema.safeParse(data).success) return data;
	const description =
		'Nothing has to be sent again. Ask whoever runs the service whether it speaks the Form Service API, version 1.';
	throw serviceError(
		context.getNode(),
		{
			message: `The service updated the settings, but did not send the updated form: it sent ${shapeOf(data)}`,
			description,
			failure: { cause: 'configuration-invalid' },
		},
		itemIndex,
	);
}

function unexpected({ context, itemIndex }: Sender, data: unknown, what: string) {
	return serviceError(
		context.getNode(),
		{
			message: `The service did not send ${what}, but ${shapeOf(data)}`,
			description:
				'Check the Base URL in the Form Service credential, and that the service speaks version 1 of the API.',
			failure: { cause: 'configuration-invalid' },
		},
		itemIndex,
	);
}
