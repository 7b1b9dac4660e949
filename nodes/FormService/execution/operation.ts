import type {
	IDataObject,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import type { ReadEndpoint, Target, WriteEndpoint } from '../api/endpoints';
import type { RequestContext } from '../api/requestContext';
import type { ParameterContext } from '../parameters/parameterContext';

/**
 * An operation of the node, such as Response: Create. An operation either reads, or checks an item and then
 * writes.
 */
export type Operation = {
	/** The option in the parameter Operation. */
	option: INodePropertyOptions & { value: string; action: string };
	/** The description for a model that uses the operation as a tool: when to use the tool, and its input. */
	toolDescription: string;
	/** The parameters of the operation. */
	properties: INodeProperties[];
} & (
	| { endpoint: ReadEndpoint; prepare: Prepare<PreparedRead> }
	| { endpoint: WriteEndpoint; prepare: Prepare<PreparedWrite> }
);

/**
 * Reads and checks the parameters of an item. Sends no request. If the node stops on failure and one item has
 * invalid parameters, the node sends no write for any item of the batch.
 *
 * @throws NodeOperationError that names the parameter and the expected value
 */
type Prepare<Prepared> = (input: ParameterContext) => Prepared;

/** An item with valid parameters, and the function that reads or checks the item. */
export type PreparedItem = PreparedRead | PreparedWrite;

/** The IDs in the path by their placeholders in the endpoint: `{ formId: 'aB3xY9' }`. */
type Ids = Readonly<Record<string, string>>;

export type PreparedRead = {
	ids?: Ids;
	/**
	 * Fetches the data of the item, and returns the output items.
	 *
	 * @throws InputError if the service has no such record
	 * @throws ServiceError if a request fails
	 */
	read: (request: ItemRequest) => Promise<INodeExecutionData[]>;
	/**
	 * The part of the output that a model asked for: which results, and which fields. If undefined, the node
	 * returns the whole output.
	 */
	selection?: OutputSelection;
};

export type PreparedWrite = {
	ids?: Ids;
	/**
	 * Checks the item against the service, for example answers against the fields of the form. Returns the
	 * pending write. All items of a batch are checked before the first write is sent.
	 *
	 * @throws InputError if the item is invalid
	 * @throws ServiceError if a request fails
	 */
	check: (request: ItemRequest) => Promise<PendingWrite>;
};

/** The part of the output that a model wants. */
export type OutputSelection = {
	/** How many results to leave out at the start. */
	skip?: number;
	/** The maximum number of results to return. */
	limit?: number;
	/** The names of the fields to return. Undefined for all fields. */
	names?: readonly string[];
};

/** A pending write: the request of a checked item that changes something. */
export type PendingWrite = {
	/** Writes with the same order key are sent one after another, in the order of the items. */
	orderKey?: string;
	/**
	 * Sends the request. Does nothing if the item is skipped or previewed. After the request has failed, must not
	 * wait for a timer or I/O. Otherwise, the request queue would send another item, see `stopAfterFailure`.
	 *
	 * @throws ServiceError if the request fails. An operation must not replace this error, because only this error
	 * says whether the service may have acted
	 */
	send: () => Promise<SendResult>;
};

/**
 * The result of a write that has succeeded. The node records the result before the node creates the output. If
 * creating the output fails, the record still shows that the service has acted.
 */
export type SendResult = {
	/** `no` if the item was skipped or previewed. */
	sent: 'yes' | 'no';
	/** Whether later tries keep this result. If false, a later try processes the item again. */
	isFinal: boolean;
	/**
	 * Creates the output of the item.
	 *
	 * @throws ServiceError if the reply lacks data for the output
	 */
	createOutput: () => IDataObject;
};

/** The values that an operation needs to send the requests of an item. */
export type ItemRequest = {
	context: RequestContext;
	/** The request of the operation, without a body. */
	target: Target;
	/** An object that identifies the run. Items of the same run share values, see `SharedValues`. */
	run: object;
};

/**
 * Values that the items of a run share, in all tries of the run. Items with different accounts share no value.
 * Each object of this class has its own keys, so different kinds of values cannot be mixed up.
 */
export class SharedValues<T> {
	private readonly valuesByRun = new WeakMap<object, Map<string, T>>();

	/** Returns the value with this key. The first item that asks for the value creates the value. */
	getOrCreate({ context, run }: ItemRequest, key: string, create: () => T): T {
		const values = this.valuesByRun.get(run) ?? new Map<string, T>();
		this.valuesByRun.set(run, values);
		const accountKey = `${context.account.key} ${key}`;
		const value = values.get(accountKey) ?? create();
		values.set(accountKey, value);
		return value;
	}
}

/**
 * Creates a function that fetches a value once for all items of a run. Items share the value if they have the
 * same account, URL, request options and details. No item may change the value. Errors have no item number,
 * because the items share the request. After a failure, the next try fetches the value again.
 *
 * @param fetch fetches the value. `details` are values that JSON can express
 */
export function createSharedFetch<T, Details extends unknown[]>(
	fetch: (context: RequestContext, target: Target, ...details: Details) => Promise<T>,
): (request: ItemRequest, ...details: Details) => Promise<T> {
	const fetches = new SharedValues<{ result?: Promise<T> }>();
	return async (request, ...details) => {
		const { context, target } = request;
		const key = JSON.stringify([target.url, context.httpOptions, details]);
		const shared = fetches.getOrCreate(request, key, () => ({}));
		shared.result ??= fetch({ ...context, itemIndex: undefined }, target, ...details);
		shared.result.catch(() => (shared.result = undefined));
		return await shared.result;
	};
}
