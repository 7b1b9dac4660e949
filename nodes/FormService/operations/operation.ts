import type {
	IDataObject,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import { ServiceError } from '../api/errors';
import { endpoints, targetOf } from '../api/endpoints';
import type { Endpoint, Target } from '../api/endpoints';
import type { RequestContext } from '../api/requestContext';
import { listRecords } from '../api/service';
import type { Input, Page } from '../parameters/input';
import type { ItemRun } from './itemRun';

/** One operation of the node. */
export type Operation = {
	/** The entry of the operation in the list of its resource's operations. */
	option: INodePropertyOptions & { value: string; action: string };
	/** Where the request goes. */
	endpoint: Endpoint;
	/** What a model reads of the operation as a tool: when to use it, and what it takes. */
	toolDescription: string;
	/** The parameters, shown for this operation only. */
	properties: INodeProperties[];
	prepare: Prepare;
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
	/** The IDs in the path of the endpoint, by their `{placeholders}`. */
	ids?: Readonly<Record<string, string>>;
	/** The body of the request, if it has one. */
	body?: IDataObject;
	/** Sends the request and makes items of the reply: all of them, or the wanted page of a listing. */
	send(request: ItemRequest): Promise<INodeExecutionData[] | Listing>;
};

/** The request that n8n has composed for an item. */
export type ItemRequest = {
	context: RequestContext;
	target: Target;
	/** The item's part in its run: what it reads and does together with the other items. */
	run: ItemRun;
};

/** The wanted page of a listing. */
export type Listing = {
	/** The items of the page, each made when it is asked for. */
	items: Iterable<INodeExecutionData> | AsyncIterable<INodeExecutionData>;
	/** Results before the page. */
	skip: number;
	/** All results. */
	total: number;
};

/** The wanted page of all records of a listing, with one item for each record. */
export function listing(
	records: readonly IDataObject[],
	{ skip, limit = Infinity }: Page,
	toItem: (record: IDataObject) => INodeExecutionData | Promise<INodeExecutionData>,
): Listing {
	async function* items() {
		for (const record of records.slice(skip, skip + limit)) yield await toItem(record);
	}
	return { items: items(), skip, total: records.length };
}

/** The fields of a form, read once for all items of a run. */
export async function fieldsOf(
	{ context, run }: Pick<ItemRequest, 'context' | 'run'>,
	formId: string,
): Promise<IDataObject[]> {
	const target = targetOf(context.account, endpoints.listFields, { formId });
	return await run.readOnce({ context, target }, listRecords);
}

/**
 * A listing does not contain the wanted record: forms and responses have no endpoint of their own for one
 * (specification, section 4).
 */
export class RecordNotFound extends ServiceError {
	/** @param absent the error's message, and what to do */
	constructor(
		{ n8n, itemIndex }: RequestContext,
		absent: { message: string; description: string },
	) {
		super(n8n.getNode(), { ...absent, httpCode: '404' }, itemIndex);
	}
}
