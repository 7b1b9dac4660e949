import { uniq } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type { Target } from './endpoints';
import type { Envelope } from './envelope';
import { isRecord } from './records';
import { callApi } from './request/callApi';
import {
	createRequestError,
	createUnexpectedReplyError,
	type RequestContext,
} from './requestContext';
import { createFailure } from './requestFailure';
import { parseUrl } from './url';

/*
 * One function for each operation of the service (specification, section 4). `replies/listReader` reads the
 * lists. n8n's routing composes the targets of the node's operations. `createTarget` creates all other targets.
 */

/** Fetches the workspace, including its secrets (section 2.1). */
export async function fetchWorkspace(
	context: RequestContext,
	target: Target,
): Promise<IDataObject> {
	const { data } = (await callApi(context, target)).envelope;
	if (isWorkspace(data)) return data;
	throw createUnexpectedReplyError(context, 'a workspace', data);
}

/** Whether the data of a reply is a workspace. */
export function isWorkspace(data: unknown): data is IDataObject {
	return isRecord(data) && typeof data.name === 'string';
}

/** Fetches the link to the PDF of a response. Returns an absolute URL. */
export async function fetchPdfLink(context: RequestContext, target: Target): Promise<string> {
	return parsePdfLink(context, (await callApi(context, target)).envelope);
}

/**
 * Finds the link to a PDF in a reply. The specification does not name the attribute of the link. So the
 * function looks for the only link among the attributes with "pdf" in their names. If no attribute has such a
 * name, the function looks for the only link in the reply.
 *
 * @throws ServiceError if there is no PDF yet, or if there is not exactly one link
 */
export function parsePdfLink(context: RequestContext, { body, data }: Envelope): string {
	const values = collectValues(body);
	const pdfValues = values.filter(({ name }) => /pdf/i.test(name));
	// if an attribute with "pdf" in its name is empty, any other link leads to something else
	const candidates = pdfValues.length > 0 ? pdfValues : values;
	const links = uniq(candidates.map(({ value }) => value).filter(isLink));
	const url = links.length === 1 ? parseUrl(links[0], context.account.baseUrl) : undefined;
	if (url !== undefined) return url.href;
	const isMissing = candidates.some(({ value }) => !value);
	if (links.length > 0 || !isMissing)
		throw createUnexpectedReplyError(context, 'a link to a PDF', data);
	throw createRequestError(context, createFailure('pdfMissing'));
}

/**
 * Returns all strings, numbers and other single values at any depth of a reply, each with the name of its
 * attribute.
 */
function collectValues(value: unknown, name = ''): Array<{ name: string; value: unknown }> {
	if (typeof value !== 'object' || value === null) return [{ name, value }];
	return Object.entries(value).flatMap(([childName, child]) => collectValues(child, childName));
}

function isLink(value: unknown): value is string {
	return typeof value === 'string' && /^(https?:\/)?\/\S+$/i.test(value);
}

/** Adds a response. Returns its ID, or undefined if the reply has no ID. */
export async function addResponse(
	context: RequestContext,
	target: Target,
): Promise<string | undefined> {
	return (await callApi(context, target)).envelope.id;
}

/** Updates settings of a form. Returns what the reply says about the form, with the service's message. */
export async function updateSettings(
	context: RequestContext,
	target: Target,
): Promise<IDataObject> {
	const { data, message } = (await callApi(context, target)).envelope;
	return { ...(message !== undefined && { message }), ...(isRecord(data) && data) };
}
