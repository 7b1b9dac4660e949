import { z } from 'zod';
import type { GenericValue, IDataObject } from 'n8n-workflow';
import { shapeOf, unwrap } from '../envelope';
import { CHECK_BASE_URL, CHECK_VERSION, serviceError } from '../errors';
import { isRecord, isUuid } from '../records';
import { parseUrl } from '../url';
import type { RequestContext } from '../requestContext';

/**
 * What the replies of single endpoints hold. Where the specification fixes it, what is not as it says
 * is an error that names the attributes seen.
 */

const workspaceSchema = z.object({ name: z.string() }).passthrough();

/** Whether the data of a reply is a workspace (specification, section 2.1). */
export function isWorkspace(data: unknown): data is IDataObject {
	return workspaceSchema.safeParse(data).success;
}

/** Section 2.1. */
export function workspaceIn(context: RequestContext, value: unknown): IDataObject {
	const { data } = unwrap(value);
	if (isWorkspace(data)) return data;
	throw unexpected(context, 'did not send a workspace, but', data);
}

/** The specification leaves open where the link is (section 4, "Response shapes not given"). */
export function pdfLinkIn(context: RequestContext, value: unknown): string {
	const { data } = unwrap(value);
	const link = pdfLinkOf(data) ?? pdfLinkOf(value);
	const url = typeof link === 'string' ? parseUrl(link, context.account.baseUrl) : undefined;
	if (url !== undefined) return url.href;
	throw unexpected(context, 'did not send a link to a PDF, but', data);
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

function named(data: unknown): IDataObject {
	if (isUuid(data)) return { uuid: data };
	const isNothing = data === undefined || data === null || (Array.isArray(data) && !data.length);
	return isNothing ? {} : { data: data as GenericValue };
}

const updatedSchema = z
	.object({ id: z.string(), name: z.string(), updated_at: z.string() })
	.passthrough();

/** Section 4, rule 6. The settings are updated, whatever is wrong with the reply. */
export function updatedIn(context: RequestContext, value: unknown): IDataObject {
	const { data, message } = unwrap(value);
	if (isRecord(data) && updatedSchema.safeParse(data).success) {
		return { ...(message !== undefined && { message }), ...data };
	}
	throw unexpected(
		context,
		'updated the settings, but did not send the updated form: it sent',
		data,
		`Nothing has to be sent again. ${CHECK_VERSION}`,
	);
}

function unexpected(
	{ n8n, account, itemIndex }: RequestContext,
	what: string,
	data: unknown,
	description = `${CHECK_BASE_URL} ${CHECK_VERSION}`,
) {
	const message = `The service ${what} ${account.conceal(shapeOf(data))}`;
	const failure = { cause: 'configuration-invalid' } as const;
	return serviceError(n8n.getNode(), { message, description, failure }, itemIndex);
}

/** Names of a link to a PDF in the replies that are known, the most telling first. */
const PDF_NAME =
	/^pdf$|(url|link|href|uri|file|download).*pdf|pdf.*(url|link|href|uri|file|download)/i;
const FILE_NAME = /^(download|file|document)([-_]?(url|link|href|uri))?$/i;
const LINK_NAME = /^(url|link|href|uri)$/i;

/**
 * The link under the most telling name that there is. False when nothing stands under it: another link
 * of the reply is then the form's own, or a logo's.
 */
function pdfLinkOf(data: unknown): string | false | undefined {
	if (isLink(data)) return data;
	if (!isRecord(data)) return undefined;
	const byName = linkNamed(data, [PDF_NAME, FILE_NAME]);
	if (byName !== undefined) return byName;
	const inside = Object.values(data).filter(isRecord);
	const nested = inside.map((one) => linkNamed(one, [PDF_NAME])).find((one) => one !== undefined);
	return nested ?? linkNamed(data, [LINK_NAME]);
}

function linkNamed(object: IDataObject, names: readonly RegExp[]): string | false | undefined {
	for (const pattern of names) {
		const named = Object.entries(object)
			.filter(([name]) => pattern.test(name))
			.map(([, value]) => (isRecord(value) ? linkNamed(value, [PDF_NAME, LINK_NAME]) : value));
		const link = named.find(isLink);
		if (link !== undefined) return link;
		if (named.some((value) => value === null || value === '' || value === false)) return false;
	}
	return undefined;
}

function isLink(value: unknown): value is string {
	return typeof value === 'string' && /^(https?:\/)?\/\S+$/i.test(value);
}
