import type { GenericValue, IDataObject } from 'n8n-workflow';
import { describeShape, unwrap } from '../envelope';
import { CHECK_BASE_URL, CHECK_VERSION } from '../errors';
import { isRecord, isUuid } from '../records';
import { createRequestError } from '../requestContext';
import type { RequestContext } from '../requestContext';
import { parseUrl } from '../url';

/** Whether the data of a reply is a workspace (specification, section 2.1). */
export function isWorkspace(data: unknown): data is IDataObject {
	return isRecord(data) && typeof data.name === 'string';
}

/**
 * The workspace in a reply (specification, section 2.1).
 *
 * @throws NodeApiError that names the attributes of anything else
 */
export function parseWorkspace(context: RequestContext, reply: unknown): IDataObject {
	const { data } = unwrap(reply);
	if (isWorkspace(data)) return data;
	throw createUnexpected(context, 'did not send a workspace, but', data);
}

/**
 * The link to a PDF as a whole URL. The specification leaves its name open (section 4, "Response shapes
 * not given").
 *
 * @throws NodeApiError if there is no PDF yet, or that names the attributes of another reply
 */
export function parsePdfLink(context: RequestContext, reply: unknown): string {
	const { data } = unwrap(reply);
	const link = findPdfLink(data, reply);
	const url = isLink(link) ? parseUrl(link, context.account.baseUrl) : undefined;
	if (url !== undefined) return url.href;
	if (link !== null) throw createUnexpected(context, 'did not send a link to a PDF, but', data);
	throw createRequestError(context, {
		message: 'Form Service has no PDF of this response',
		description: 'Form Service may still be creating the PDF. Try again later.',
		failure: { cause: 'temporarily-unavailable' },
	});
}

/** What the service says about a new response, which the specification leaves open as well. */
export function parseAddedResponse(reply: unknown): IDataObject {
	const { data, message } = unwrap(reply);
	const { uuid, id } = isRecord(reply) ? reply : {};
	const added = {
		...(message !== undefined && { message }),
		...(uuid !== undefined && { uuid }),
		...(id !== undefined && { id }),
		...(isRecord(data) ? data : readAddedData(data)),
	};
	return Object.keys(added).length > 0 ? added : { success: true };
}

function readAddedData(data: unknown): IDataObject {
	if (isUuid(data)) return { uuid: data };
	const isNothing = data === undefined || data === null || (Array.isArray(data) && !data.length);
	return isNothing ? {} : { data: data as GenericValue };
}

/**
 * The updated form's id, name and time of update (specification, section 4, rule 6).
 *
 * @throws NodeApiError if the reply has no such form, although its settings are updated
 */
export function parseUpdatedForm(context: RequestContext, reply: unknown): IDataObject {
	const { data, message } = unwrap(reply);
	const isForm = (form: IDataObject) =>
		[form.id, form.name, form.updated_at].every((value) => typeof value === 'string');
	if (isRecord(data) && isForm(data)) {
		return { ...(message !== undefined && { message }), ...data };
	}
	throw createUnexpected(
		context,
		'updated the settings, but did not send the updated form: it sent',
		data,
		`The update succeeded; don't send it again. ${CHECK_VERSION}`,
	);
}

function createUnexpected(
	context: RequestContext,
	what: string,
	data: unknown,
	description = `${CHECK_BASE_URL} ${CHECK_VERSION}`,
) {
	const message = `Form Service ${what} ${describeShape(data)}`;
	const failure = { cause: 'configuration-invalid' } as const;
	return createRequestError(context, { message, description, failure });
}

/**
 * The link whose name has "pdf" in it, also in an object of that name, else the one that is called a URL,
 * a link or a download. If the former is empty, no other link of the reply is the PDF's.
 *
 * @returns null for a link that is empty; undefined if there is none
 */
function findPdfLink(data: unknown, reply: unknown): string | null | undefined {
	if (isLink(data)) return data;
	const holders = [data, reply].filter(isRecord);
	const values = holders
		.flatMap(Object.entries)
		.filter(([name]) => /pdf/i.test(name))
		.map(([, value]: [string, unknown]) => (isRecord(value) ? findLink(value) : value));
	const link = values.find(isLink);
	if (link !== undefined || values.length === 0) return link ?? holders.map(findLink).find(isLink);
	return values.some((value) => !value) ? null : undefined;
}

function findLink(object: IDataObject): unknown {
	const name = /^((download|file|document)[-_]?)?(url|link|href|uri)$|^download$/i;
	return Object.entries(object).find(([key]) => name.test(key))?.[1];
}

function isLink(value: unknown): value is string {
	return typeof value === 'string' && /^(https?:\/)?\/\S+$/i.test(value);
}
