import type {
	IDataObject,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import type { Endpoint, Target } from '../api/endpoints';
import type { RequestContext } from '../api/requestContext';
import type { ParameterContext } from '../parameters/parameterContext';

/** An operation of the node, such as Response: Create. */
export type Operation = {
	option: INodePropertyOptions & { value: string; action: string };
	/** The description for a model that uses the operation as a tool. */
	toolDescription: string;
	properties: INodeProperties[];
	endpoint: Endpoint;
	/** Reads and checks the parameters of an item, and sends no request. Throws an error that names the parameter. */
	prepare(input: ParameterContext): PreparedItem;
};

/** An item whose parameters are valid. `read` creates its output. `check` compares a write with the service. */
export type PreparedItem = {
	/** The IDs in the path by their placeholders in the endpoint: `{ formId: 'aB3xY9' }`. */
	ids?: Readonly<Record<string, string>>;
	query?: Readonly<Record<string, string>>;
} & (
	| { read: (request: ItemRequest) => Promise<INodeExecutionData[]> }
	| { check: (request: ItemRequest) => Promise<PendingWrite> }
);

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
 * Fetches something once for all items and tries of a run. They share the object, so each item sees what another one
 * has changed in it, as Skip Duplicates By needs. After a failure, the next item fetches it again.
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
