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

/** The IDs in the path by their placeholders in the endpoint, `{ formId: 'aB3xY9' }`, and the query. */
type RequestParts = {
	ids?: Readonly<Record<string, string>>;
	query?: Readonly<Record<string, string>>;
};

type PreparedRead = RequestParts & {
	read: (request: ItemRequest) => Promise<INodeExecutionData[]>;
};

type PreparedWrite = RequestParts & {
	/** Checks the item against the service, before the first write of the batch is sent. */
	check: (request: ItemRequest) => Promise<PendingWrite>;
};

/** Sends the write of a checked item. Sends nothing if the item is skipped or previewed. */
export type PendingWrite = () => Promise<{ isSent: boolean; json: IDataObject }>;

export type ItemRequest = {
	context: RequestContext;
	/** The request of the operation, without a body. */
	target: Target;
	/** See `shareInRun`. */
	shared: Map<string, unknown>;
};

/** Returns a value that all items of a run share, in all its tries. The first item creates it. */
export function shareInRun<T>({ context, shared }: ItemRequest, name: string, create: () => T): T {
	const key = `${context.account.key} ${name}`;
	if (!shared.has(key)) shared.set(key, create());
	return shared.get(key) as T;
}

/** Fetches something once for all items of the run, and again after a failure. No item may change it. */
export async function fetchOnce<T>(
	request: ItemRequest,
	fetch: (context: RequestContext, target: Target) => Promise<T>,
	name = request.target.url,
): Promise<T> {
	const { context, target, shared } = request;
	const fetching = shareInRun(request, name, async () => {
		// the request belongs to no item, so its error names none
		return await fetch({ ...context, itemIndex: undefined }, target);
	});
	fetching.catch(() => shared.delete(`${context.account.key} ${name}`));
	return await fetching;
}

export type InputItem = {
	n8n: IExecuteSingleFunctions;
	index: number;
	/** The `row_number` of Google Sheets. */
	row?: number;
	endpoint: Endpoint;
	/** The request options that n8n has composed. */
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
