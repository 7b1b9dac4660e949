import { isString } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type { Target } from './endpoints';
import { describeShape } from './request/parseReply';
import { createFailure } from './failures';
import { getId, isRecord } from './records';
import { callApi } from './request/callApi';
import {
	createRequestError,
	createUnexpectedReplyError,
	type RequestContext,
} from './requestContext';
import { parseUrl } from './text';

/* One function for each operation of the service that reads no list (specification, section 4). */

/** Fetches the workspace, including its secrets (section 2.1). */
export async function fetchWorkspace(
	context: RequestContext,
	target: Target,
): Promise<IDataObject> {
	const { data } = await callApi(context, target);
	if (isWorkspace(data)) return data;
	const found = describeShape(data);
	throw createUnexpectedReplyError(context, target.endpoint, 'a workspace with a name', found);
}

export function isWorkspace(data: unknown): data is IDataObject {
	return isRecord(data) && typeof data.name === 'string';
}

/** Fetches the link to the PDF of a response. Returns an absolute URL. */
export async function fetchPdfLink(context: RequestContext, target: Target): Promise<string> {
	const { body, data } = await callApi(context, target);
	const links = [data, body].filter(isRecord).flatMap(({ pdf_url, url }) => [pdf_url, url]);
	const link = links.filter(isString).find((text) => text !== '');
	const url = link === undefined ? undefined : parseUrl(link, context.account.baseUrl);
	if (url !== undefined) return url.href;
	if (links.some((value) => value === null || value === '')) {
		throw createRequestError(context, createFailure('pdfMissing'));
	}
	const expected = '"pdf_url" or "url" with a link';
	throw createUnexpectedReplyError(context, target.endpoint, expected, describeShape(data));
}

/** Adds a response. Returns its ID, or undefined if the reply has no ID. */
export async function addResponse(
	context: RequestContext,
	target: Target,
): Promise<string | undefined> {
	const { data } = await callApi(context, target);
	return isRecord(data) ? getId(data) : undefined;
}

/** Updates settings of a form. Returns what the reply says about the form, with the service's message. */
export async function updateSettings(
	context: RequestContext,
	target: Target,
): Promise<IDataObject> {
	const { data, message } = await callApi(context, target);
	return { ...(message !== undefined && { message }), ...(isRecord(data) && data) };
}
