import type { IDataObject } from 'n8n-workflow';
import { describeShape } from '../envelope';
import type { Envelope } from '../envelope';
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
export function parseWorkspace(context: RequestContext, { data }: Envelope): IDataObject {
	if (isWorkspace(data)) return data;
	throw createUnexpected(context, 'a workspace', data);
}

/**
 * The link to a PDF as a whole URL. The specification leaves its name open (section 4): it is the only link in
 * the reply. Of several, it is the one whose name, else whose address, else whose purpose by name says so.
 *
 * @throws NodeApiError if there is no PDF yet, or that names the attributes of another reply
 */
export function parsePdfLink(context: RequestContext, { whole, data }: Envelope): string {
	const all = listValues(whole);
	const named = (names: RegExp) => all.filter(({ name }) => names.test(name));
	const ofPdf = named(/pdf/i);
	// an attribute of the PDF without a value counts: another link is none to the PDF
	const links = (ofPdf.length > 0 ? ofPdf : all).filter(({ value }) => isLink(value));
	const narrowed = [
		links,
		links.filter(({ value }) => /pdf/i.test(String(value))),
		links.filter(({ name }) => /download|^(url|link)$/i.test(name)),
	].find((some) => new Set(some.map(({ value }) => value)).size === 1);
	const url = narrowed && parseUrl(String(narrowed[0].value), context.account.baseUrl);
	if (url !== undefined) return url.href;
	const isMissing = (ofPdf.length > 0 ? ofPdf : all).some(({ value }) => !value);
	if (links.length > 0 || !isMissing) throw createUnexpected(context, 'a link to a PDF', data);
	throw createRequestError(context, {
		message: 'Form Service has no PDF of this response',
		description: 'Form Service may still be creating the PDF. Try again later.',
		failure: { cause: 'temporarily-unavailable' },
	});
}

/** All texts and the like in a value, with the names of their attributes. */
function listValues(value: unknown, name = ''): Array<{ name: string; value: unknown }> {
	if (typeof value !== 'object' || value === null) return [{ name, value }];
	return Object.entries(value).flatMap(([inside, one]) => listValues(one, inside));
}

function isLink(value: unknown): boolean {
	return typeof value === 'string' && /^(https?:\/)?\/\S+$/i.test(value);
}

/**
 * The updated form's id, name and time of update (specification, section 4, rule 6).
 *
 * @throws NodeApiError if the reply has no such form, although its settings are updated
 */
export function parseUpdatedForm(
	context: RequestContext,
	{ data, message }: Envelope,
): IDataObject {
	const isForm = (form: IDataObject) =>
		[form.id, form.name, form.updated_at].every((value) => typeof value === 'string');
	if (isRecord(data) && isForm(data)) {
		return { ...(message !== undefined && { message }), ...data };
	}
	const advice = "The settings are updated; don't send them again.";
	throw createUnexpected(context, 'the updated form', data, advice);
}

function createUnexpected(
	context: RequestContext,
	expected: string,
	data: unknown,
	description = CHECK_REPLY,
) {
	const message = `Unexpected reply instead of ${expected}: ${describeShape(data)}`;
	const failure = { cause: 'configuration-invalid' } as const;
	return createRequestError(context, { message, description, failure });
}
