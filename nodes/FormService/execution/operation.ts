import type {
	IDataObject,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import type { Endpoint, Target } from '../api/endpoints';
import type { RequestContext } from '../api/requestContext';
import type { ParameterContext } from '../parameters/parameterContext';

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
 * Reads and checks the parameters of an item, synchronously: the first request is sent after those of all
 * items have been checked. If some are invalid, only the reads that check the other items of a change are sent.
 *
 * @throws NodeOperationError that names the parameter and what it must be
 */
export type Prepare = (input: ParameterContext) => PreparedItem;

/** An item whose parameters are valid. */
export type PreparedItem = {
	/** The IDs in the path of the endpoint, by their `{placeholders}`. */
	ids?: Readonly<Record<string, string>>;
	/** The body of the request, if it has one. */
	body?: IDataObject;
	/**
	 * Sends the requests that change nothing. Returns the output of an operation that only reads. If the
	 * operation changes something, checks the item against the service, such as answers against the form's
	 * fields, and returns the change. No change is sent before all items of the run are checked.
	 *
	 * @throws NodeOperationError if the item is invalid, and the errors of requests
	 */
	read: (request: ItemRequest) => Promise<INodeExecutionData[] | PendingWrite>;
};

export type PendingWrite = {
	/** Changes with the same key are sent one after another, in the order of the input. */
	orderKey?: string;
	/** Sends the request, unless the item is skipped or previewed, and makes an item of the reply. */
	send: () => Promise<WriteResult>;
};

/** `isSent` is false if the item was skipped or previewed. */
export type WriteResult = { json: IDataObject; isSent: boolean };

/** The request that n8n has composed for an item. */
export type ItemRequest = { context: RequestContext; target: Target; reads: FetchCache };

/** What the items of a run have read, in all tries of n8n, by `readOnce`'s keys. */
export type FetchCache = Map<string, Promise<unknown>>;

/**
 * Reads a target once for all items of a run with the same account and request options. A read that failed is
 * forgotten, so that the next try of n8n repeats it.
 *
 * @param detail what distinguishes two ways to read one target
 */
export async function fetchOncePerRun<T>(
	{ context, target, reads }: ItemRequest,
	read: (context: RequestContext, target: Target) => Promise<T>,
	detail?: unknown,
): Promise<T> {
	const { account, httpOptions } = context;
	const key = JSON.stringify([account.key, target.url, httpOptions, detail]);
	const reading = reads.get(key) ?? read(context, target);
	reads.set(key, reading);
	void reading.catch(() => reads.delete(key));
	return await (reading as Promise<T>);
}
