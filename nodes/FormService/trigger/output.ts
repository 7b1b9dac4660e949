import { pick } from 'lodash';
import { NodeApiError } from 'n8n-workflow';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { FormField } from '../api/answers/fields';
import { outputNeedsFields, toResponseItem } from '../api/answers/responseItem';
import type { ResponseOutput } from '../api/answers/responseItem';
import { getSubmissionTime } from '../api/answers/order';
import { asNodeError } from '../api/errors';
import { withoutSecrets } from '../api/records';
import type { RequestContext } from '../api/requestContext';
import { isFormEvent } from '../parameters/watched';
import type { TriggerEvent } from '../parameters/watched';
import { awaitInTime } from './reading';

/** An event that starts the workflow, of a response or of a form itself. */
export type Event = {
	event: TriggerEvent;
	record: IDataObject;
	/** The name is null while it is not known. */
	form: { id: string; name: string | null };
	/** The fields of the form, if they have been read. */
	fields?: readonly FormField[];
	/** The attributes of a form that have changed. */
	changed?: readonly string[];
};

/**
 * An item, and the time up to which the items of its form are submitted: items of several forms are
 * ordered by time later, and those of one form stay in their order.
 */
export type PlacedItem = { atMs: number; item: INodeExecutionData };

export type ItemOptions = {
	context: RequestContext;
	output: ResponseOutput;
	/** After it aborts, no further item is begun. */
	readingEnds?: AbortSignal;
	/** After it aborts, nothing is waited for. */
	pollEnds?: AbortSignal;
	/** Whether a file that cannot be downloaded now delays its response. */
	isPatient?: boolean;
};

/**
 * Makes items of events, in order, as many as there is time for. At least one is made, or
 * nothing would ever get through. A file that cannot be downloaded delays its response for a few polls,
 * and is then left out. If the file is gone, its response comes at once.
 *
 * @returns one item for each of the first events; the rest is for a later poll
 * @throws the error of the first event's file if the response waits for it
 */
export async function createItems(
	events: readonly Event[],
	{ context, output, readingEnds, pollEnds, isPatient = false }: ItemOptions,
): Promise<PlacedItem[]> {
	const { n8n } = context;
	const items: PlacedItem[] = [];
	let atMs = -Infinity;
	for (const event of events) {
		atMs = Math.max(atMs, getSubmissionTime(event.record) ?? atMs);
		if (items.length > 0 && readingEnds?.aborted) break;
		try {
			const work = createItem(context, event, output);
			const { item, fileErrors } = await awaitInTime(context, work, pollEnds);
			const awaited = isPatient ? fileErrors.find((error) => !isGone(error)) : undefined;
			if (awaited !== undefined) throw awaited;
			for (const { message } of fileErrors) {
				n8n.logger.warn(`A response is delivered without one of its files: ${message}`);
			}
			items.push({ atMs, item });
		} catch (cause) {
			if (isPatient && items.length > 0) break;
			const error = asNodeError(n8n.getNode(), cause);
			if (isPatient || output.filePrefix === undefined) throw error;
			// downloading all files takes longer than a poll
			const { message } = error;
			n8n.logger.warn(`A response is delivered without its files: ${message}`);
			const { item } = await createItem(context, event, { ...output, filePrefix: undefined });
			items.push({ atMs, item: { ...item, json: { ...item.json, fileError: message } } });
		}
	}
	return items;
}

/** Returns an item: the attributes of the response or form, then `event` and `form`, and the errors of its files. */
async function createItem(context: RequestContext, event: Event, output: ResponseOutput) {
	const { record, form, fields, changed } = event;
	const { item, fileErrors } = isFormEvent(event.event)
		? { item: { json: selectFormAttributes(record, output, changed) }, fileErrors: [] }
		: await toResponseItem(context, record, output, outputNeedsFields(output) ? fields : undefined);
	return {
		item: { ...item, json: { ...item.json, event: event.event, form: { ...form } } },
		fileErrors,
	};
}

/** What simplified items keep of a form, in addition to its ID and name. */
const FORM_ATTRIBUTES = ['slug', 'description', 'is_closed', 'created_at', 'updated_at'];

function selectFormAttributes(
	record: IDataObject,
	{ simplify }: ResponseOutput,
	changed: readonly string[] | undefined,
): IDataObject {
	const shown = simplify ? pick(record, FORM_ATTRIBUTES, changed ?? []) : record;
	return { ...withoutSecrets(shown), ...(changed && { changed: [...changed] }) };
}

/** Statuses of a host that may give the file later (RFC 9110 and RFC 6585). */
const PASSING = ['408', '425', '429'];

function isGone(error: unknown): boolean {
	const status = error instanceof NodeApiError ? (error.httpCode ?? '') : '';
	return status.startsWith('4') && !PASSING.includes(status);
}
