import { escapeRegExp } from 'lodash';
import type {
	IDataObject,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	INode,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import { parseFields } from '../api/answers/fields';
import type { Naming } from '../api/answers/fields';
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
type Check = (request: ItemRequest) => Promise<CheckResult>;

export type CheckResult = {
	orderKey?: string;
	/** Whether the item is already known to be skipped or previewed. */
	sendsNothing?: boolean;
	send: Change;
};

/** Sends the request, unless the item is skipped or previewed, and makes items of the reply. */
type Change = (request: ItemRequest) => Promise<Changed>;

type Changed = { output: INodeExecutionData[]; hasChanged: boolean };

/** The request that n8n has composed for an item. */
export type ItemRequest = {
	context: RequestContext;
	target: Target;
	reads: Reads;
	/** Reads that last over all tries of n8n, with what the items themselves may have added. */
	lastingReads: Reads;
};

/** What items have read, by `readOnce`'s keys. */
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
 * Reads a target once for all items of an attempt with the same account and request options. A failed read
 * isn't repeated, because the other items would meet the same failure.
 *
 * @param detail what distinguishes two ways to read one target
 */
export async function readOnce<T>(
	{ context, target, reads }: Omit<ItemRequest, 'lastingReads'>,
	read: (context: RequestContext, target: Target) => Promise<T>,
	detail?: unknown,
): Promise<T> {
	const { account, transport, comparesText } = context;
	const key = JSON.stringify([account.key, target.url, transport, comparesText, detail]);
	const reading = reads.get(key) ?? read(context, target);
	reads.set(key, reading);
	return await (reading as Promise<T>);
}

/** The fields of a form, read once for all items of an attempt. */
export async function readFormFields(request: ItemRequest, formId: string): Promise<IDataObject[]> {
	const context = { ...request.context, comparesText: true };
	const target = createTarget(context.account, endpoints.listFields, { formId });
	return await readOnce({ ...request, context, target }, listRecords);
}

/** The fields of a form as items name them: one list for all items of a run, so that each response is matched once. */
export async function readNamedFields(request: ItemRequest, formId: string, naming: Naming) {
	const read = async () => parseFields(await readFormFields(request, formId), naming);
	return await readOnce(request, read, naming);
}

/**
 * The input fields that an item has not used, without those that an expression of the node uses, such as a
 * column with the ID of the form.
 */
export function listIgnored({ node }: Input, names: readonly string[]): string[] {
	const text = listExpressions(node).join('').replaceAll('\\', '');
	return names.filter((name) => !new RegExp(`[.'"\`]${escapeRegExp(name)}(?!\\w)`).test(text));
}

/** The expressions in the parameters of a node, without their equals sign. */
export function listExpressions({ parameters }: INode): string[] {
	const texts = JSON.stringify(parameters).match(/"=(?:[^"\\]|\\.)*"/g) ?? [];
	return texts.map((text) => (JSON.parse(text) as string).slice(1));
}
