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
	/** See `fetchOnce`. */
	shared: Map<string, unknown>;
};

/**
 * Fetches something once for all items and tries of a run, which get the same object. After a failure, the next
 * item fetches it again.
 *
 * @param name names what is fetched: one name always stands for the same kind of value
 */
export async function fetchOnce<T>(
	{ context, target, shared }: ItemRequest,
	fetch: (context: RequestContext, target: Target) => Promise<T>,
	name = target.url,
): Promise<T> {
	const key = `${context.account.key} ${name}`;
	if (!shared.has(key)) {
		// the request belongs to no item, so its error names none
		const fetching = fetch({ ...context, itemIndex: undefined }, target);
		shared.set(key, fetching);
		fetching.catch(() => shared.delete(key));
	}
	return await (shared.get(key) as Promise<T>);
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
