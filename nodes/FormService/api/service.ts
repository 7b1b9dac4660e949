import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';
import type { Target } from './endpoints';
import { describeShape } from './envelope';
import { createFailure } from './failures';
import { getId, isRecord } from './records';
import { callApi } from './request/callApi';
import {
	createRequestError,
	createUnexpectedReplyError,
	type RequestContext,
} from './requestContext';
import { parseUrl } from './url';

/* One function for each operation of the service that reads no list (specification, section 4). */

const workspaceSchema = z.object({ name: z.string() });

/** Fetches the workspace, including its secrets (section 2.1). */
export async function fetchWorkspace(
	context: RequestContext,
	target: Target,
): Promise<IDataObject> {
	const { data } = (await callApi(context, target)).envelope;
	if (isWorkspace(data)) return data;
	throw createUnexpectedReplyError(
		context,
		target.endpoint,
		'a workspace with a name',
		describeShape(data),
	);
}

/** Whether the data of a reply is a workspace. */
export function isWorkspace(data: unknown): data is IDataObject {
	return workspaceSchema.safeParse(data).success;
}

const pdfSchema = z.object({ pdf_url: z.string().nullish(), url: z.string().nullish() });

/** Fetches the link to the PDF of a response. Returns an absolute URL. */
export async function fetchPdfLink(context: RequestContext, target: Target): Promise<string> {
	const { body, data } = (await callApi(context, target)).envelope;
	const places = [data, body].map((place) => pdfSchema.safeParse(place).data);
	const values = places.flatMap((place) => [place?.pdf_url, place?.url]);
	const link = values.find((value) => value);
	const url = link ? parseUrl(link, context.account.baseUrl) : undefined;
	if (url !== undefined) return url.href;
	if (values.some((value) => value === null || value === '')) {
		throw createRequestError(context, createFailure('pdfMissing'));
	}
	throw createUnexpectedReplyError(
		context,
		target.endpoint,
		'"pdf_url" or "url" with a link',
		describeShape(data),
	);
}

/** Adds a response. Returns its ID, or undefined if the reply has no ID. */
export async function addResponse(
	context: RequestContext,
	target: Target,
): Promise<string | undefined> {
	const { data } = (await callApi(context, target)).envelope;
	return isRecord(data) ? getId(data) : undefined;
}

/** Updates settings of a form. Returns what the reply says about the form, with the service's message. */
export async function updateSettings(
	context: RequestContext,
	target: Target,
): Promise<IDataObject> {
	const { data, message } = (await callApi(context, target)).envelope;
	return { ...(message !== undefined && { message }), ...(isRecord(data) && data) };
}
