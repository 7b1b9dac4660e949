import type {
	IDataObject,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import type { Endpoint, ReadEndpoint, Target, WriteEndpoint } from '../api/endpoints';
import type { NodeError } from '../api/errors';
import type { RequestContext } from '../api/requestContext';
import type { ParameterContext } from '../parameters/parameterContext';

/** An operation of the node, such as Response: Create. It reads, or checks an item and then writes. */
export type Operation = {
	option: INodePropertyOptions & { value: string; action: string };
	/** The description for a model that uses the operation as a tool. */
	toolDescription: string;
	properties: INodeProperties[];
} & (
	| { endpoint: ReadEndpoint; prepare: Prepare<PreparedRead> }
	| { endpoint: WriteEndpoint; prepare: Prepare<PreparedWrite> }
);

/** Reads and checks the parameters of an item, and sends no request. Throws an error that names the parameter. */
type Prepare<Prepared> = (input: ParameterContext) => Prepared;

export type PreparedItem = PreparedRead | PreparedWrite;

/** The IDs in the path by their placeholders in the endpoint: `{ formId: 'aB3xY9' }`. */
type Ids = Readonly<Record<string, string>>;

type PreparedRead = {
	ids?: Ids;
	read: (request: ItemRequest) => Promise<INodeExecutionData[]>;
	selection?: OutputSelection;
};

type PreparedWrite = {
	ids?: Ids;
	/** Checks the item against the service, before the first write of the batch is sent. */
	check: (request: ItemRequest) => Promise<PendingWrite>;
};

/** The part of the output that a model wants: `names` are the fields of each result. */
export type OutputSelection = { skip?: number; limit?: number; names?: readonly string[] };

/** Sends the write of a checked item. Sends nothing if the item is skipped or previewed. */
export type PendingWrite = () => Promise<{ isSent: boolean; json: IDataObject }>;

export type ItemRequest = {
	context: RequestContext;
	/** The request of the operation, without a body. */
	target: Target;
	/** See `shareInRun`. */
	shared: Map<string, Promise<unknown>>;
};

/** Returns a value that all items of a run share, in all its tries. After a failure, it is created again. */
export async function shareInRun<T>(
	{ context, shared }: ItemRequest,
	key: string,
	create: (context: RequestContext) => Promise<T>,
): Promise<T> {
	const accountKey = `${context.account.key} ${key}`;
	// the request belongs to no item, so its error names none
	const value = shared.get(accountKey) ?? create({ ...context, itemIndex: undefined });
	shared.set(accountKey, value);
	value.catch(() => shared.delete(accountKey));
	return (await value) as T;
}

/** Fetches something once for all items of the run. No item may change it. */
export async function fetchOnce<T>(
	request: ItemRequest,
	fetch: (context: RequestContext, target: Target) => Promise<T>,
	target = request.target,
): Promise<T> {
	return await shareInRun(request, target.url, async (context) => await fetch(context, target));
}

export type InputItem = {
	n8n: IExecuteSingleFunctions;
	index: number;
	/** The `row_number` of Google Sheets. */
	row?: number;
	endpoint: Endpoint;
	/** The request that n8n has composed, with a URL below the base URL. */
	options: IHttpRequestOptions;
} & ({ prepared: PreparedItem } | { parameterError: NodeError });

/** The outcome of an item in a try. `sent` is `maybe` if the service may have acted, such as without a reply. */
export type ItemOutcome =
	| { kind: 'done'; output: INodeExecutionData[]; sent: 'yes' | 'no' }
	/** The parameters, the credential or the answers are wrong, or the form or response does not exist. */
	| { kind: 'invalid'; error: NodeError }
	| { kind: 'failed'; error: NodeError; sent: 'maybe' | 'no' }
	/** Another item failed earlier, or the execution was canceled. */
	| { kind: 'notSent' };
