import type { GenericValue, IDataObject } from 'n8n-workflow';
import type { Account } from '../account';
import { serviceError } from '../errors';
import { isRecord } from '../records';
import { parseUrl } from '../request/url';
import { settingsUpdatedSchema, workspaceSchema } from '../schemas';
import type { Sender } from '../sender';
import { shapeOf, unwrap } from './content';
import { linkIn } from './link';

/**
 * What the replies of single endpoints hold. Where the specification fixes it, what is not as it says
 * is an error that names the attributes seen.
 */

/** Section 2.1. */
export function workspaceIn(sender: Sender, account: Account, value: unknown): IDataObject {
	const { data } = unwrap(value);
	if (isRecord(data) && workspaceSchema.safeParse(data).success) return data;
	throw unexpected(sender, account, 'did not send a workspace, but', data);
}

/** The specification leaves open where the link is (section 4, "Response shapes not given"). */
export function pdfLinkIn(sender: Sender, account: Account, value: unknown): string {
	const { data } = unwrap(value);
	const link = linkIn(data) ?? linkIn(value);
	const url = link === undefined ? undefined : parseUrl(link, account.baseUrl);
	if (url !== undefined) return url.href;
	throw unexpected(sender, account, 'did not send a link to a PDF, but', data);
}

/** What the service says of a new response, which the specification leaves open too. */
export function addedIn(value: unknown): IDataObject {
	const { data, message } = unwrap(value);
	const { uuid, id } = isRecord(value) ? value : {};
	const told = {
		...(message !== undefined && { message }),
		...(uuid !== undefined && { uuid }),
		...(id !== undefined && { id }),
		...(isRecord(data) ? data : named(data)),
	};
	return Object.keys(told).length > 0 ? told : { success: true };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function named(data: unknown): IDataObject {
	if (typeof data === 'string' && UUID.test(data)) return { uuid: data };
	const isNothing = data === undefined || data === null || (Array.isArray(data) && !data.length);
	return isNothing ? {} : { data: data as GenericValue };
}

/** Section 4, rule 6. The settings are updated, whatever is wrong with the reply. */
export function updatedIn(sender: Sender, account: Account, value: unknown): IDataObject {
	const { data, message } = unwrap(value);
	if (isRecord(data) && settingsUpdatedSchema.safeParse(data).success) {
		return { ...(message !== undefined && { message }), ...data };
	}
	throw unexpected(
		sender,
		account,
		'updated the settings, but did not send the updated form: it sent',
		data,
		'Nothing has to be sent again. Ask whoever runs the service whether it speaks the Form Service API, version 1.',
	);
}

function unexpected(
	{ context, itemIndex }: Sender,
	{ conceal }: Account,
	what: string,
	data: unknown,
	description = 'Check the Base URL in the Form Service credential, and that the service speaks version 1 of the API.',
) {
	const message = `The service ${what} ${conceal(shapeOf(data))}`;
	const failure = { cause: 'configuration-invalid' } as const;
	return serviceError(context.getNode(), { message, description, failure }, itemIndex);
}
