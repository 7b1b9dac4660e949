import type { IDataObject } from 'n8n-workflow';
import type { Target } from './endpoints';
import { getId } from './records';
import { readPages } from './replies/list';
import { parsePdfLink, parseUpdatedForm, parseWorkspace } from './replies/parse';
import { request } from './request/request';
import type { RequestContext } from './requestContext';

/*
 * What the service does (specification, section 4); `replies/list` gives lists page by page. n8n composes
 * the targets of operations, and `createTarget` those of the trigger and the editor.
 */

/** The workspace as received, with its secrets (section 2.1). */
export async function getWorkspace(context: RequestContext, target: Target): Promise<IDataObject> {
	return parseWorkspace(context, (await request(context, target)).envelope);
}

/**
 * All forms with their fields, all fields of a form or all its responses, in the service's order (section
 * 4, rule 1). A record that moved to a later page while the pages were read is given once.
 *
 * @param limit the list is read no further than this many records
 */
export async function listRecords(
	context: RequestContext,
	target: Target,
	limit = Infinity,
): Promise<IDataObject[]> {
	const all: IDataObject[] = [];
	const before = new Set<unknown>();
	for await (const { records, isLast } of readPages(context, target)) {
		for (const record of records) if (!before.has(getId(record) ?? record)) all.push(record);
		if (isLast || all.length >= limit) break;
		for (const record of records) before.add(getId(record) ?? record);
	}
	return all.slice(0, limit);
}

/** The link to the PDF of one response. */
export async function getPdfLink(context: RequestContext, target: Target): Promise<string> {
	return parsePdfLink(context, (await request(context, target)).envelope);
}

/** Adds a response (section 4, rules 2 to 4) and returns its ID, if the service gives one. */
export async function addResponse(
	context: RequestContext,
	target: Target,
): Promise<string | undefined> {
	return (await request(context, target)).envelope.id;
}

/** Updates settings of a form (section 4, rules 5 and 6) and returns its id, name and time of update. */
export async function updateSettings(
	context: RequestContext,
	target: Target,
): Promise<IDataObject> {
	return parseUpdatedForm(context, (await request(context, target)).envelope);
}
