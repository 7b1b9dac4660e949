import { isEqual } from 'lodash';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type {
	DeclarativeRestApiSettings,
	IDataObject,
	IExecutePaginationFunctions,
	IHttpRequestOptions,
	INode,
	INodeExecutionData,
	PreSendAction,
} from 'n8n-workflow';
import { getAccount } from '../api/account';
import type { Endpoint } from '../api/endpoints';
import { asNodeError, inputError, NotSent, serviceError } from '../api/errors';
import { isRecord } from '../api/records';
import type { Input } from '../parameters/input';
import { isTool, prepareForModel } from './forModel';
import { ItemRun } from './itemRun';
import type { Prepare, Prepared } from './operation';

type NodeError = NodeApiError | NodeOperationError;

/** What the check of an item hands on to the sending: the item as checked, or what is wrong with it. */
type Checked = { run: ItemRun; endpoint: Endpoint; prepared?: Prepared; problem?: unknown };

/** By the request options that n8n has composed for the item. */
const checkedItems = new WeakMap<IHttpRequestOptions, Checked>();

/**
 * The first `preSend` of an operation, which n8n calls for each item before it sends any: checks the
 * item and composes the body. It never throws, since n8n would then leave out this item alone and
 * send the others.
 */
export function checkItem(endpoint: Endpoint, prepare: Prepare): PreSendAction {
	return async function (options) {
		const itemIndex = this.getItemIndex();
		const run = ItemRun.join(this.getExecuteData(), this.getNode(), itemIndex);
		try {
			const input: Input = {
				// to extract the value of a parameter that is not shown would throw
				parameter: <T>(name: string, fallback?: T) =>
					this.getNodeParameter(name, fallback, { extractValue: name.endsWith('Id') }) as T,
				item: this.getInputData(),
				itemIndex,
				node: this.getNode(),
				zone: this.getTimezone(),
			};
			const prepared = isTool(input) ? prepareForModel(prepare, input) : prepare(input);
			const composed = { ...options, body: prepared.body };
			checkedItems.set(composed, { run, endpoint, prepared });
			return composed;
		} catch (problem) {
			if (!this.continueOnFail()) run.stop(problem);
			checkedItems.set(options, { run, endpoint, problem });
			return options;
		}
	};
}

/**
 * The pagination function of the node, which n8n's routing calls for each item once all have been
 * checked: it sends the request that n8n has composed, in its turn.
 *
 * In a node that stops on failure, an item that is not valid, or an expression that throws, means
 * that nothing of the run is sent. After a failure, what still waits is not sent. In a node that
 * continues, each item has its own outcome, paired with its input.
 */
export async function sendItem(
	this: IExecutePaginationFunctions,
	{ options }: DeclarativeRestApiSettings.ResultOptions,
): Promise<INodeExecutionData[]> {
	const checked = checkedItems.get(options as IHttpRequestOptions)!;
	const { run, problem } = checked;
	const itemIndex = this.getItemIndex();
	const keepGoing = this.continueOnFail();
	try {
		if (problem !== undefined) throw problem;
		const { timeout, batching } = requestOptionsOf(this);
		if (!keepGoing && !run.isWhole(batchSizeOf(batching))) run.stop(NOT_WHOLE);
		if (run.stopped !== undefined && !keepGoing) return [];
		// n8n takes 300 seconds where a person has set no Timeout; then the request path has its own
		const items = await send(this, checked, { ...(options as IHttpRequestOptions), timeout });
		return items.map((item) => ({ ...item, pairedItem: { item: itemIndex } }));
	} catch (error) {
		if (error instanceof NotSent && run.stopped !== undefined && !keepGoing) return [];
		const known = shownError(error, this.getNode(), itemIndex, run);
		const shown = problem === undefined ? known : withWhatWasSent(known, run, keepGoing);
		if (!keepGoing || isTokenRefused(shown)) run.stop(shown);
		if (!keepGoing) {
			await run.whole;
			throw shown;
		}
		return [failedItem(this, run, shown)];
	}
}

async function send(
	n8n: IExecutePaginationFunctions,
	{ run, endpoint, prepared }: Checked,
	{ baseURL, url, qs, body, ...transport }: IHttpRequestOptions,
): Promise<INodeExecutionData[]> {
	const itemIndex = n8n.getItemIndex();
	const account = await getAccount(n8n, itemIndex);
	if (run.stopped !== undefined) throw new NotSent(n8n.getNode(), itemIndex);
	run.sent++;
	return await prepared!.send({
		context: {
			n8n,
			account,
			urgency: 'bulk',
			itemIndex,
			signal: run.signalWith(n8n.getExecutionCancelSignal()),
			transport,
		},
		target: {
			endpoint,
			url: `${baseURL}${url}${queryOf(qs)}`,
			body: isRecord(body) ? body : undefined,
		},
		run,
	});
}

function queryOf(qs: IDataObject = {}): string {
	const query = new URLSearchParams();
	for (const [name, value] of Object.entries(qs)) {
		if (value !== undefined && value !== null) query.set(name, String(value));
	}
	return query.size > 0 ? `?${query.toString()}` : '';
}

/** Why a run stops of which n8n did not hand over all items: n8n itself reports the one that is missing. */
const NOT_WHOLE = new Error('An expression of another item failed');

/** With batching (a request option of n8n), the loop waits between batches: each is checked by itself. */
function batchSizeOf(batching: RequestOptions['batching']): number {
	const { batchSize = 1, batchInterval = 0 } = batching?.batch ?? {};
	return batchInterval > 0 ? Math.max(batchSize, 1) : Infinity;
}

/** What n8n itself adds to the parameters of a declarative node. */
type RequestOptions = {
	timeout?: number;
	batching?: { batch?: { batchSize?: number; batchInterval?: number } };
};

function requestOptionsOf(n8n: IExecutePaginationFunctions): RequestOptions {
	return n8n.getNodeParameter('requestOptions', {}) as RequestOptions;
}

/**
 * An item that failed, with its input beside the error. In the error output n8n lays the input there
 * by itself, if the item has the error alone; in the regular output it does not. An `error` of the
 * item itself would make n8n drop all else.
 */
function failedItem(
	n8n: IExecutePaginationFunctions,
	run: ItemRun,
	{ message }: NodeError,
): INodeExecutionData {
	const pairedItem = { item: n8n.getItemIndex() };
	const hasInput = !run.isTool && n8n.getNode().onError !== 'continueErrorOutput';
	const input = hasInput ? n8n.getInputData().json : {};
	return { json: { ...input, error: message }, pairedItem };
}

function shownError(error: unknown, node: INode, itemIndex: number, run: ItemRun): NodeError {
	if (error instanceof NotSent) {
		const reason = run.stopped instanceof Error ? `: ${run.stopped.message}` : '';
		return inputError(node, {
			message: `This item was not sent${reason}`,
			description: 'Resolve this first, then run this item again.',
			itemIndex,
		});
	}
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		return forItem(error, node, itemIndex);
	}
	return asNodeError(node, error, itemIndex);
}

/**
 * Items, and nodes of several workflows, can share a request, and so its error: each gets one of its
 * own, with its index and its node.
 */
function forItem(error: NodeError, node: INode, itemIndex: number): NodeError {
	if (error.context.itemIndex === itemIndex && isEqual(error.node, node)) return error;
	const { message, failure } = error;
	const description = error.description ?? undefined;
	return error instanceof NodeApiError
		? serviceError(
				node,
				{ message, description, failure, httpCode: error.httpCode ?? undefined },
				itemIndex,
			)
		: inputError(node, { message, description, failure, itemIndex });
}

/** Says with what is wrong with an item what of the run was sent before it, so that nothing is sent twice. */
function withWhatWasSent(error: NodeError, run: ItemRun, keepGoing: boolean): NodeError {
	const { message, failure, node, context } = error;
	const description = `${whatWasSent(run, keepGoing)}\n${error.description ?? ''}`.trim();
	const itemIndex = context.itemIndex as number;
	return inputError(node, { message, description, failure, itemIndex });
}

function whatWasSent({ sent, total }: ItemRun, keepGoing: boolean): string {
	if (keepGoing) return 'This item was not sent.';
	if (sent === 0) return 'Nothing was sent.';
	return `The first ${sent} of the ${total} items were sent before, in earlier batches. Leave them out when you run again.`;
}

function isTokenRefused(error: NodeError): boolean {
	return error instanceof NodeApiError && error.failure?.cause === 'credential-invalid';
}
