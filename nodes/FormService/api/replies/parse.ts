import type { IDataObject } from 'n8n-workflow';
import { describeShape, unwrap } from '../envelope';
import { CHECK_REPLY } from '../errors';
import { isRecord } from '../records';
import { createRequestError } from '../requestContext';
import type { RequestContext } from '../requestContext';
import { parseUrl } from '../url';

/** Whether the data of a reply is a workspace (specification, section 2.1). */
export function isWorkspace(data: unknown): data is IDataObject {
	return isRecord(data) && typeof data.name === 'string';
}

/** The workspace in a reply; throws a NodeApiError that names the attributes of anything else. */
export function parseWorkspace(context: RequestContext, reply: unknown): IDataObject {
	const { data } = unwrap(reply);
	if (isWorkspace(data)) return data;
	throw createUnexpected(context, 'instead of a workspace', data);
}

/**
 * The link to a PDF as a whole URL. The specification leaves its name open (section 4).
 *
 * @throws NodeApiError if there is no PDF yet, or that names the attributes of another reply
 */
export function parsePdfLink(context: RequestContext, reply: unknown): string {
	const { data } = unwrap(reply);
	const links = typeof data === 'string' ? [data] : listPdfLinks([data, reply].filter(isRecord));
	const link = links.find((one) => typeof one === 'string' && /^(https?:\/)?\/\S+$/i.test(one));
	const url = link === undefined ? undefined : parseUrl(String(link), context.account.baseUrl);
	if (url !== undefined) return url.href;
	if (!links.some((one) => one === null || one === '')) {
		throw createUnexpected(context, 'instead of a link to a PDF', data);
	}
	throw createRequestError(context, {
		message: 'Form Service has no PDF of this response',
		description: 'Form Service may still be creating the PDF. Try again later.',
		failure: { cause: 'temporarily-unavailable' },
	});
}

/** What has "pdf" in its name; if nothing has, what is called a URL or a link. */
function listPdfLinks(holders: IDataObject[]): unknown[] {
	const entries = holders.flatMap(Object.entries) as Array<[string, unknown]>;
	const named = (names: RegExp) => entries.filter(([name]) => names.test(name));
	const ofPdf = named(/pdf/i);
	const found = ofPdf.length > 0 ? ofPdf : named(/^(download_?)?(url|link)$/i);
	return found.map(([, value]) => value);
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
		'instead of the updated form',
		data,
		"The settings are updated; don't send them again.",
	);
}

function createUnexpected(
	context: RequestContext,
	expected: string,
	data: unknown,
	description = CHECK_REPLY,
) {
	const message = `Unexpected reply ${expected}: ${describeShape(data)}`;
	const failure = { cause: 'configuration-invalid' } as const;
	return createRequestError(context, { message, description, failure });
}
