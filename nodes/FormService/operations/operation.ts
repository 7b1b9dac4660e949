import type {
	IDataObject,
	IDisplayOptions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import { ServiceError } from '../api/errors';
import { endpoints, targetOf } from '../api/endpoints';
import type { Target } from '../api/endpoints';
import type { RequestContext } from '../api/requestContext';
import { listRecords } from '../api/service';
import type { Input, Page } from '../parameters/input';
import type { ItemRun } from './itemRun';

/** One operation of the node. Each is described by one file. */
export type Operation = {
	/** Its entry in the list of its resource's operations; `routing` comes from `requestTo`. */
	option: INodePropertyOptions & { value: string; action: string };
	/**
	 * What a model reads of it where the node is a tool: when to use it, and what it takes; several texts
	 * for different values of its parameters.
	 */
	toolDescription: string | Array<{ text: string; show: IDisplayOptions['show'] }>;
	/** Its parameters, shown for this operation only. */
	properties: INodeProperties[];
};

/**
 * Reads and checks the parameters of an item, synchronously: n8n starts the items of a run one after
 * another, and the first request is sent after all of them have been checked.
 *
 * @throws NodeOperationError that names the parameter and what it must be
 */
export type Prepare = (input: Input) => Prepared;

/** An item whose input has been checked. */
export type Prepared = {
	/** The body of the operation's request, if it has one. */
	body?: IDataObject;
	/** Sends the request and makes items of the reply: all of them, or the wanted page of a listing. */
	send(request: ItemRequest): Promise<INodeExecutionData[] | Listing>;
};

/** The wanted page of a listing. */
export type Listing = {
	/** The items of the page; those of responses are made one by one, as they are asked for. */
	items: Iterable<INodeExecutionData> | AsyncIterable<INodeExecutionData>;
	/** Results before the page. */
	skip: number;
	/** All results. */
	total: number;
};

/** The records of the wanted page. */
export function pageOf<T>(records: readonly T[], { skip, limit = Infinity }: Page): T[] {
	return records.slice(skip, skip + limit);
}

/** The request that n8n has composed for an item. */
export type ItemRequest = {
	context: RequestContext;
	target: Target;
	/** The item's part in its run: what it reads and does together with the other items. */
	run: ItemRun;
};

/** The fields of a form, read once for all items of a run. */
export async function fieldsOf(
	{ context, run }: Pick<ItemRequest, 'context' | 'run'>,
	formId: string,
): Promise<IDataObject[]> {
	const target = targetOf(context.account, endpoints.listFields, { formId });
	return await run.readOnce({ context, target }, listRecords);
}

/** A listing does not contain the wanted record. */
export class RecordNotFound extends ServiceError {}

/**
 * The wanted record of a listing: forms and responses have no endpoint of their own for one
 * (specification, section 4).
 *
 * @throws RecordNotFound with what to do if there is none
 */
export function existing(
	{ n8n, itemIndex }: RequestContext,
	record: IDataObject | undefined,
	absent: { message: string; description: string },
): IDataObject {
	if (record !== undefined) return record;
	throw new RecordNotFound(n8n.getNode(), { ...absent, httpCode: '404' }, itemIndex);
}
