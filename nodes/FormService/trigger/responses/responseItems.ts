import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { FormField } from '../../api/answers/fields';
import { createResponseItem, type ResponseOutput } from '../../api/answers/responseItem';
import { asNodeError } from '../../api/errors';
import type { RequestContext } from '../../api/requestContext';
import type { ResponseEvent } from '../../parameters/triggerEvents';
import { waitUntilDeadline } from '../fetchList';
import type { OutputItem } from '../pollContext';

/** An event of a response that starts the workflow. */
export type ResponseEventData = {
	event: ResponseEvent;
	record: IDataObject;
	/** The name is null while it is not known. */
	form: { id: string; name: string | null };
	/** The fields of the form, if they were fetched. */
	fields?: readonly FormField[];
};

export type ItemOptions = {
	request: RequestContext;
	output: ResponseOutput;
	/** After it aborts, no further item is started. */
	readDeadline?: AbortSignal;
	/** After it aborts, no file is waited for. */
	pollDeadline?: AbortSignal;
};

/**
 * Creates items of events, in order. Files take time. With files, the result has only as many items as there is
 * time for, but at least one, or a response with large files would never start the workflow.
 *
 * @returns an item for each of the first events; the other events are for a later poll
 */
export async function createResponseItems(
	events: readonly ResponseEventData[],
	{ request, output, readDeadline, pollDeadline }: ItemOptions,
): Promise<OutputItem[]> {
	const items: OutputItem[] = [];
	const hasFiles = output.downloadFiles;
	for (const event of events) {
		if (hasFiles && items.length > 0 && readDeadline?.aborted) break;
		const work = createItem({ ...request, retry: true, signal: pollDeadline }, event, output);
		const item = hasFiles
			? await waitForFiles(request, event, work, { output, pollDeadline })
			: await work;
		items.push({ record: event.record, item });
	}
	return items;
}

/** Waits for an item. If its files take longer than the poll, returns the item without files. */
async function waitForFiles(
	request: RequestContext,
	event: ResponseEventData,
	work: Promise<INodeExecutionData>,
	{ output, pollDeadline }: Pick<ItemOptions, 'output' | 'pollDeadline'>,
): Promise<INodeExecutionData> {
	try {
		return await waitUntilDeadline(request, work, pollDeadline);
	} catch (cause) {
		const { message: fileError } = asNodeError(request.n8n.getNode(), cause);
		request.n8n.logger.warn(`A response is delivered without its files: ${fileError}`);
		const item = await createItem(request, event, { ...output, downloadFiles: false });
		return { ...item, json: { ...item.json, fileError } };
	}
}

/** Creates an item: the attributes of the response, then `event` and `form`. */
async function createItem(
	request: RequestContext,
	{ event, record, form, fields }: ResponseEventData,
	output: ResponseOutput,
): Promise<INodeExecutionData> {
	const { item, fileErrors } = await createResponseItem(request, record, output, fields);
	for (const { message } of fileErrors) {
		request.n8n.logger.warn(`A response is delivered without one of its files: ${message}`);
	}
	return { ...item, json: { ...item.json, event, form: { ...form } } };
}
