import type {
	IDataObject,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import type { ReadEndpoint, Target, WriteEndpoint } from '../api/endpoints';
import type { RequestContext } from '../api/requestContext';
import type { ParameterContext } from '../parameters/parameterContext';

/** One operation of the node. An operation either reads, or checks an item and then writes, as its endpoint does. */
export type Operation = {
	/** The option in the parameter Operation. */
	option: INodePropertyOptions & { value: string; action: string };
	/** The description of the operation as a tool, for a model: when to use the tool, and its input. */
	toolDescription: string;
	/** The parameters of the operation. */
	properties: INodeProperties[];
} & (
	| { endpoint: ReadEndpoint; prepare: Prepare<PreparedRead> }
	| { endpoint: WriteEndpoint; prepare: Prepare<PreparedWrite> }
);

/**
 * Reads and checks the parameters of an item. Sends no request, because no write is sent if the parameters of any item
 * are invalid.
 *
 * @throws NodeOperationError that names the parameter and what it must be
 */
type Prepare<Prepared> = (input: ParameterContext) => Prepared;

/** An item with valid parameters, and what to do with it. */
export type PreparedItem = PreparedRead | PreparedWrite;

/** The IDs in the path, by the `{placeholders}` of the endpoint: `{ formId: 'aB3xY9' }`. */
type Ids = Readonly<Record<string, string>>;

export type PreparedRead = {
	ids?: Ids;
	/**
	 * Returns the output items.
	 *
	 * @throws InputError if the service has no such record, and the errors of requests
	 */
	read: (request: ItemRequest) => Promise<INodeExecutionData[]>;
	/** The part of the output that the model of a tool selects; undefined for the whole output. */
	selection?: ToolSelection;
};

export type PreparedWrite = {
	ids?: Ids;
	/**
	 * Checks the item against the service, such as answers against the fields of the form, and returns the write. All
	 * items of a batch are checked before the first write is sent.
	 *
	 * @throws InputError if the item is invalid, and the errors of requests
	 */
	check: (request: ItemRequest) => Promise<PendingWrite>;
};

/** The results and fields that a model asks for. */
export type ToolSelection = {
	/** How many results to leave out at the start. */
	skip?: number;
	/** The most results to return. */
	limit?: number;
	/** The names of the fields to return. Undefined for all fields. */
	names?: readonly string[];
};

/** A pending write: the request of a checked item that changes something. */
export type PendingWrite = {
	/** Writes with the same order key are sent one after another, in the order of the items. */
	orderKey?: string;
	/** Sends the request. Does nothing if the item is skipped or previewed. */
	send: () => Promise<SendResult>;
};

/**
 * The result of a write that has succeeded. The result is recorded before the output is created. If creating
 * the output fails, the record still shows that the service has acted.
 */
export type SendResult = {
	/** False if the item was skipped or previewed. */
	isSent: boolean;
	/**
	 * Creates the output of the item.
	 *
	 * @throws ServiceError if the reply lacks data for the output
	 */
	createOutput: () => IDataObject;
};

/** What an operation needs to send the requests of an item. */
export type ItemRequest = {
	context: RequestContext;
	/** The request of the operation, without a body. */
	target: Target;
	/** Identifies the run, for the values that its items share. */
	run: object;
};

/**
 * Values of one kind that the items of a run share, in all tries of n8n (Retry On Fail), if they have the same account.
 * Each object has keys of its own, so two kinds of values cannot be mixed up.
 */
export class SharedValues<T> {
	private readonly valuesByRun = new WeakMap<object, Map<string, T>>();

	/** Returns the value with a key. The first item that asks for the value creates it. */
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
 * Creates a function that fetches a target once for all items of a run with the same account, request options and
 * detail. The items never change the result. The request belongs to no item, so its errors have no item number. After
 * a failure, the next try fetches again.
 *
 * @param fetch gets the detail of the item, which JSON must be able to express
 */
export function createSharedFetch<T, Detail = void>(
	fetch: (context: RequestContext, target: Target, detail: Detail) => Promise<T>,
): (request: ItemRequest, detail: Detail) => Promise<T> {
	const fetches = new SharedValues<{ result?: Promise<T> }>();
	return async (request, detail) => {
		const { context, target } = request;
		const key = JSON.stringify([target.url, context.httpOptions, detail]);
		const shared = fetches.getOrCreate(request, key, () => ({}));
		shared.result ??= fetch({ ...context, itemIndex: undefined }, target, detail);
		shared.result.catch(() => (shared.result = undefined));
		return await shared.result;
	};
}
