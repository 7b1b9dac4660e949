import type {
	IDataObject,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import type { Endpoint, Target } from '../api/endpoints';
import type { RequestContext } from '../api/requestContext';
import type { ParameterContext } from '../parameters/parameterContext';
import type { SharedData } from './sharedData';

/** One operation of the node. */
export type Operation = {
	/** The entry of the operation in the list of its resource's operations. */
	option: INodePropertyOptions & { value: string; action: string };
	/** The endpoint of the request. */
	endpoint: Endpoint;
	/** The description that a model reads of the operation as a tool: when to use it, and its input. */
	toolDescription: string;
	/** The parameters, shown for this operation only. */
	properties: INodeProperties[];
	/**
	 * Reads and checks the parameters of an item. Sends no request: n8n first hands over all items, and if the
	 * parameters of one item are invalid, no write is sent.
	 *
	 * @throws NodeOperationError that names the parameter and what it must be
	 */
	prepare: (input: ParameterContext) => PreparedItem;
};

/** An item with valid parameters: the parts of its request, and its action. */
export type PreparedItem = RequestParts & (PreparedRead | PreparedWrite);

type RequestParts = {
	/** The IDs in the path of the endpoint, by their `{placeholders}`: `{ formId: 'aB3xY9' }`. */
	ids?: Readonly<Record<string, string>>;
	/** The body of the request, if it has one. */
	body?: IDataObject;
};

/** An item of an operation that only reads, such as Get Many. */
export type PreparedRead = {
	/**
	 * Returns the output items.
	 *
	 * @throws NodeOperationError if the service has no such record, and the errors of requests
	 */
	read: (request: ItemRequest) => Promise<INodeExecutionData[]>;
	/** The part of the output that the model of a tool selects; undefined for the whole output. */
	selection?: ToolSelection;
};

/** A page of the results and fields of each result, as a model asks for them. */
export type ToolSelection = {
	/** How many results are left out before the first one. */
	skip?: number;
	/** The most results. */
	limit?: number;
	/** The names of the fields; undefined for all. */
	names?: readonly string[];
};

/** An item of an operation that changes something, such as Create. */
export type PreparedWrite = {
	/**
	 * Checks the item against the service, such as answers against the fields of the form, and returns the write.
	 * All items of a batch are checked before the first write is sent.
	 *
	 * @throws NodeOperationError if the item is invalid, and the errors of requests
	 */
	check: (request: ItemRequest) => Promise<PendingWrite>;
};

/** A checked request of an item that will change something. */
export type PendingWrite = {
	/** Writes with the same key are sent one after another, in the order of the input. */
	orderKey?: string;
	/** Sends the request, unless the item is skipped or previewed. */
	send: () => Promise<WriteResult>;
};

/** The output of a write. `isSent` is false if the item was skipped or previewed. */
export type WriteResult = { json: IDataObject; isSent: boolean };

/** The request that n8n has composed for an item, with the values that the items of the run share. */
export type ItemRequest = { context: RequestContext; target: Target; shared: SharedData };
