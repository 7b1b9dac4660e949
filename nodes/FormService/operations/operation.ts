import { escapeRegExp } from 'lodash';
import type {
	IDataObject,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import { endpoints, createTarget } from '../api/endpoints';
import type { Endpoint, Target } from '../api/endpoints';
import type { RequestContext } from '../api/requestContext';
import { listRecords } from '../api/service';
import type { Input } from '../parameters/input';

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

/** An item whose parameters are valid. */
export type Prepared = {
	/** The IDs in the path of the endpoint, by their `{placeholders}`. */
	ids?: Readonly<Record<string, string>>;
	/** The body of the request, if it has one. */
	body?: IDataObject;
	/** Selects from the output what a model gets. */
	select?: (output: INodeExecutionData[]) => INodeExecutionData[];
} & ({ send: Send } | { check: Check });

/** Sends the request and makes items of the reply. */
type Send = (request: ItemRequest) => Promise<INodeExecutionData[]>;

/**
 * Checks what only requests that change nothing can show, such as the fields of the form. No item of a run
 * is sent before all of its items have been checked. Items of one account with the same `orderKey` are sent
 * one after another, in the order of the input.
 *
 * @throws NodeOperationError if the item is invalid, and the errors of requests
 */
type Check = (request: ItemRequest) => Promise<{ orderKey?: string; send: Send }>;

/** The request that n8n has composed for an item. */
export type ItemRequest = {
	context: RequestContext;
	target: Target;
	reads: Reads;
};

/** What the items of a run have read, by `readOnce`'s keys. */
export type Reads = Map<string, Promise<unknown>>;

/** One item of a run: what sends it, or what is wrong with its parameters. */
export type Item = {
	n8n: IExecuteSingleFunctions;
	index: number;
	/** The number by which errors name the item: its row, if a node such as Google Sheets gives one. */
	row: number;
	endpoint: Endpoint;
	/** The request as n8n has composed it, with its URL relative to the base URL. */
	composed: IHttpRequestOptions;
} & ({ prepared: Prepared } | { problem: unknown });

/**
 * Reads a target once for all items of a run with the same account and request options. A failed read
 * isn't repeated, because the other items would meet the same failure.
 *
 * @param detail what distinguishes two ways to read one target
 */
export async function readOnce<T>(
	{ context, target, reads }: ItemRequest,
	read: (context: RequestContext, target: Target) => Promise<T>,
	detail?: unknown,
): Promise<T> {
	const key = JSON.stringify([context.account.key, target.url, context.transport, detail]);
	const reading = reads.get(key) ?? read(context, target);
	reads.set(key, reading);
	return await (reading as Promise<T>);
}

/** The fields of a form, read once for all items of a run. */
export async function readFormFields(request: ItemRequest, formId: string): Promise<IDataObject[]> {
	const target = createTarget(request.context.account, endpoints.listFields, { formId });
	return await readOnce({ ...request, target }, listRecords);
}

/**
 * The input fields that an item has not used, without those that an expression of the node uses, such as a
 * column with the ID of the form.
 */
export function listIgnored({ node }: Input, names: readonly string[]): string[] {
	const expressions = JSON.stringify(node.parameters).match(/"=(?:[^"\\]|\\.)*"/g) ?? [];
	const text = expressions.join('').replaceAll('\\', '');
	return names.filter((name) => !new RegExp(`[.'"\`]${escapeRegExp(name)}(?!\\w)`).test(text));
}
