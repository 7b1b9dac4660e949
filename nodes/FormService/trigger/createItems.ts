import { pick } from 'lodash';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { FormField } from '../api/answers/fields';
import { createResponseItem, type ResponseOutput } from '../api/answers/responseItem';
import { asNodeError } from '../api/errors';
import { removeSecrets } from '../api/records';
import type { RequestContext } from '../api/requestContext';
import { isFormEvent, type TriggerEvent } from '../parameters/triggerEvents';
import type { OutputItem } from './pollContext';
import { waitUntilDeadline } from './fetchSlice';

/** An event that starts the workflow, of a response or of a form itself. */
export type EventData = {
	event: TriggerEvent;
	record: IDataObject;
	/** The name is null while it is not known. */
	form: { id: string; name: string | null };
	/** The fields of the form, if they have been read. */
	fields?: readonly FormField[];
	/** The attributes of a form that have changed. */
	changed?: readonly string[];
};

export type ItemOptions = {
	context: RequestContext;
	output: ResponseOutput;
	/** After it aborts, no further item is begun. */
	readingEnds?: AbortSignal;
	/** After it aborts, no file is waited for. */
	pollEnds?: AbortSignal;
};

/**
 * Makes items of events, in order. Files take time: with files, only as many items as there is time for, but
 * at least one, or nothing would ever get through. A file that cannot be downloaded is left out.
 *
 * @returns one item for each of the first events; the rest is for a later poll
 */
export async function createItems(
	events: readonly EventData[],
	{ context, output, readingEnds, pollEnds }: ItemOptions,
): Promise<OutputItem[]> {
	const made: OutputItem[] = [];
	const hasFiles = output.downloadFiles;
	for (const event of events) {
		if (hasFiles && made.length > 0 && readingEnds?.aborted) break;
		const work = createItem({ ...context, retry: true, signal: pollEnds }, event, output);
		const item = hasFiles
			? await awaitFiles(context, event, work, { output, pollEnds })
			: await work;
		made.push({ record: event.record, item });
	}
	return made;
}

/** The item, or the item without its files if the downloads take longer than the poll. */
async function awaitFiles(
	context: RequestContext,
	event: EventData,
	work: Promise<INodeExecutionData>,
	{ output, pollEnds }: Pick<ItemOptions, 'output' | 'pollEnds'>,
): Promise<INodeExecutionData> {
	try {
		return await waitUntilDeadline(context, work, pollEnds);
	} catch (cause) {
		const { message: fileError } = asNodeError(context.n8n.getNode(), cause);
		context.n8n.logger.warn(`A response is delivered without its files: ${fileError}`);
		const item = await createItem(context, event, { ...output, downloadFiles: false });
		return { ...item, json: { ...item.json, fileError } };
	}
}

/** Returns an item: the attributes of the response or form, then `event` and `form`. */
async function createItem(
	context: RequestContext,
	{ event, record, form, fields, changed }: EventData,
	output: ResponseOutput,
): Promise<INodeExecutionData> {
	const origin = { event, form: { ...form } };
	if (isFormEvent(event)) {
		return { json: { ...selectFormAttributes(record, output, changed), ...origin } };
	}
	const { item, fileErrors } = await createResponseItem(context, record, output, fields);
	for (const { message } of fileErrors) {
		context.n8n.logger.warn(`A response is delivered without one of its files: ${message}`);
	}
	return { ...item, json: { ...item.json, ...origin } };
}

/** What simplified items keep of a form, in addition to its ID and name. */
const FORM_ATTRIBUTES = ['slug', 'description', 'is_closed', 'created_at', 'updated_at'];

function selectFormAttributes(
	record: IDataObject,
	{ simplify }: ResponseOutput,
	changed: readonly string[] | undefined,
): IDataObject {
	const shown = simplify ? pick(record, FORM_ATTRIBUTES, changed ?? []) : record;
	return { ...removeSecrets(shown), ...(changed && { changed: [...changed] }) };
}
