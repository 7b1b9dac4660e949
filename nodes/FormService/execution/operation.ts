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
	/** The endpoint of the request. */
	endpoint: Endpoint;
	/** The description of the operation as a tool, for a model: when to use the tool, and its input. */
	toolDescription: string;
	/** The parameters, shown for this operation only. */
	properties: INodeProperties[];
	/**
	 * Reads and checks the parameters of an item. Sends no request, because no write is sent if the
	 * parameters of any item are invalid.
	 *
	 * @throws NodeOperationError that names the parameter and what it must be
	 */
	prepare: (input: ParameterContext) => PreparedItem;
};

/** An item with valid parameters, and what to do with it. An operation either reads, or checks and then writes. */
export type PreparedItem = {
	/** The IDs in the path, by the `{placeholders}` of the endpoint: `{ formId: 'aB3xY9' }`. */
	ids?: Readonly<Record<string, string>>;
	/**
	 * The body that n8n composes before the item is checked. It declares what the operation sends, but is never sent:
	 * `check` returns the write with the checked body.
	 */
	provisionalBody?: IDataObject;
} & (
	| {
			/**
			 * Returns the output items.
			 *
			 * @throws InputError if the service has no such record, and the errors of requests
			 */
			read: (request: ItemRequest) => Promise<INodeExecutionData[]>;
			/** The part of the output that the model of a tool selects; undefined for the whole output. */
			selection?: ToolSelection;
	  }
	| {
			/**
			 * Checks the item against the service, such as answers against the fields of the form, and returns the
			 * write. All items of a batch are checked before the first write is sent.
			 *
			 * @throws InputError if the item is invalid, and the errors of requests
			 */
			check: (request: ItemRequest) => Promise<PendingWrite>;
	  }
);

/** The results, and the fields of each result, that a model asks for. */
export type ToolSelection = {
	/** How many results are left out before the first one. */
	skip?: number;
	/** The most results. */
	limit?: number;
	/** The names of the fields; undefined for all. */
	names?: readonly string[];
};

/** A write whose item has been checked. */
export type PendingWrite = {
	/** Writes with the same key are sent one after another, in the order of the input. */
	orderKey?: string;
	/** Sends the request, unless the item is skipped or previewed. */
	send: () => Promise<SendResult>;
};

/**
 * The result of a write that has succeeded. The output is created after the result is recorded, so an error in the
 * output does not hide that the service has acted.
 */
export type SendResult = {
	/** False if the item was skipped or previewed. */
	isSent: boolean;
	/** @throws ServiceError if the reply lacks what the output shows */
	createOutput: () => IDataObject;
};

/** The request that n8n has composed for an item, still without a body. */
export type ItemRequest = {
	context: RequestContext;
	target: Target;
	/** The values that the items of the run share. Only `shareInRun` reads and changes the map. */
	shared: Map<string, unknown>;
};

/**
 * Returns a value that the items of a run share, in all tries of n8n (Retry On Fail), if they have the same account.
 * The first item that asks for the value creates it.
 */
export function shareInRun<T>({ context, shared }: ItemRequest, name: string, create: () => T): T {
	const key = `${context.account.key} ${name}`;
	if (!shared.has(key)) shared.set(key, create());
	return shared.get(key) as T;
}

/**
 * Fetches a target once for all items of a run with the same account and request options. The items never change the
 * value. The request belongs to no item, so its errors have no item number. After a failure, the next try fetches again.
 *
 * @param detail distinguishes two ways to fetch one target
 */
export async function fetchOncePerRun<T>(
	request: ItemRequest,
	fetch: (context: RequestContext, target: Target) => Promise<T>,
	detail?: unknown,
): Promise<T> {
	const { context, target } = request;
	const name = JSON.stringify(['fetch', target.url, context.httpOptions, detail]);
	const result = shareInRun<{ fetching?: Promise<T> }>(request, name, () => ({}));
	result.fetching ??= fetch({ ...context, itemIndex: undefined }, target);
	result.fetching.catch(() => (result.fetching = undefined));
	return await result.fetching;
}
