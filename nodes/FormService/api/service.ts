import { uniq } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { parseFields, type AnswerNaming, type FormField } from './answers/fields';
import { createTarget, endpoints, type Target } from './endpoints';
import { describeShape, type Envelope } from './envelope';
import { isRecord } from './records';
import { UNREAD_LIST } from './replies/completeness';
import { readList } from './replies/listReader';
import { callApi } from './request/callApi';
import {
	createRequestError,
	createUnexpectedReplyError,
	type RequestContext,
} from './requestContext';
import { createFailure } from './requestFailure';
import { parseUrl } from './url';

/*
 * The operations of the service (specification, section 4). `replies/listReader` reads lists. n8n composes the
 * targets of the node's operations; `createTarget` creates all others.
 */

/** Fetches the workspace, including its secrets (section 2.1). */
export async function getWorkspace(context: RequestContext, target: Target): Promise<IDataObject> {
	const { data } = (await callApi(context, target)).envelope;
	if (isWorkspace(data)) return data;
	throw createUnexpectedReplyError(context, 'a workspace', data);
}

/** Whether the data of a reply is a workspace. */
export function isWorkspace(data: unknown): data is IDataObject {
	return isRecord(data) && typeof data.name === 'string';
}

/**
 * Fetches a whole list in the service's order (rule 1): all forms with their fields, all fields of a form, or all its
 * responses. If pages overlap, fetches the list again, see `completeness`.
 *
 * @throws ServiceError if the list stays incomplete
 */
export async function listRecords(context: RequestContext, target: Target): Promise<IDataObject[]> {
	return [...(await readList(context, target)).records];
}

/**
 * Fetches the first records of a list, and no more pages than they need. If pages follow, the pages so far can
 * lack a record, for example because the list changed meanwhile.
 */
export async function listFirstRecords(
	context: RequestContext,
	target: Target,
	limit: number,
): Promise<IDataObject[]> {
	const isEnough = (records: readonly IDataObject[]) => records.length >= limit;
	return (await readList(context, target, UNREAD_LIST, isEnough)).records.slice(0, limit);
}

/** Fetches the fields of a form that take an answer, with their answer keys. */
export async function fetchFields(
	context: RequestContext,
	formId: string,
	naming?: AnswerNaming,
): Promise<FormField[]> {
	const target = createTarget(context.account, endpoints.listFields, { formId });
	return parseFields(await listRecords(context, target), naming);
}

/** Fetches the link to the PDF of a response, as a whole URL. */
export async function getPdfLink(context: RequestContext, target: Target): Promise<string> {
	return parsePdfLink(context, (await callApi(context, target)).envelope);
}

/**
 * Finds the link to a PDF in a reply. The specification does not name its attribute, so the only link counts,
 * or the only link in an attribute with "pdf" in its name.
 *
 * @throws ServiceError if there is no PDF yet, or no link
 */
export function parsePdfLink(context: RequestContext, { body, data }: Envelope): string {
	const values = collectValues(body);
	const pdfValues = values.filter(({ name }) => /pdf/i.test(name));
	// if an attribute of the PDF is empty, no other link is taken for the PDF
	const candidates = pdfValues.length > 0 ? pdfValues : values;
	const links = uniq(candidates.map(({ value }) => value).filter(isLink));
	const url = links.length === 1 ? parseUrl(links[0], context.account.baseUrl) : undefined;
	if (url !== undefined) return url.href;
	const isMissing = candidates.some(({ value }) => !value);
	if (links.length > 0 || !isMissing)
		throw createUnexpectedReplyError(context, 'a link to a PDF', data);
	throw createRequestError(context, createFailure('pdfMissing'));
}

/** Collects the texts, numbers and other single values at any depth, with the names of their attributes. */
function collectValues(value: unknown, name = ''): Array<{ name: string; value: unknown }> {
	if (typeof value !== 'object' || value === null) return [{ name, value }];
	return Object.entries(value).flatMap(([childName, child]) => collectValues(child, childName));
}

function isLink(value: unknown): value is string {
	return typeof value === 'string' && /^(https?:\/)?\/\S+$/i.test(value);
}

/** Adds a response (rules 2 to 4). Returns its ID if the reply has one. */
export async function addResponse(
	context: RequestContext,
	target: Target,
): Promise<string | undefined> {
	return (await callApi(context, target)).envelope.id;
}

/** Updates settings of a form (rules 5 and 6). Returns the reply, see `parseUpdatedForm`. */
export async function updateSettings(context: RequestContext, target: Target): Promise<Envelope> {
	return (await callApi(context, target)).envelope;
}

/**
 * Returns the `id`, `name` and `updated_at` of an updated form, and a message of the service.
 *
 * @throws ServiceError if the reply lacks the form
 */
export function parseUpdatedForm(
	context: RequestContext,
	{ data, message }: Envelope,
): IDataObject {
	const isText = (value: unknown) => typeof value === 'string';
	if (isRecord(data) && [data.id, data.name, data.updated_at].every(isText)) {
		return { ...(message !== undefined && { message }), ...data };
	}
	const shape = describeShape(data);
	throw createRequestError(context, createFailure('updatedFormMissing', { shape }));
}
