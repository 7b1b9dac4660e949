import { isEqual } from 'lodash';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type {
	DeclarativeRestApiSettings,
	IExecutePaginationFunctions,
	INode,
	INodeExecutionData,
} from 'n8n-workflow';
import { inputError, NotSent, serviceError } from '../api/errors';
import type { Transport } from '../api/sender';
import { joinRun } from './itemRun';
import type { ItemRun } from './itemRun';
import type { Input, Operations, Task } from './operation';

type Pagination = (
	this: IExecutePaginationFunctions,
	requestData: DeclarativeRestApiSettings.ResultOptions,
) => Promise<INodeExecutionData[]>;

/**
 * The one pagination function of the node, which n8n's routing calls for every item: it checks the
 * item, waits until all items of the run have been checked, and only then sends.
 *
 * In a node that stops on failure, an item that is not valid, or an expression that throws, means
 * that nothing of the run is sent. After a failure, what still waits is not sent. In a node that
 * continues, each item has its own outcome, paired with its input.
 */
export function runItem(operations: Operations): Pagination {
	return async function (requestData) {
		const itemIndex = this.getItemIndex();
		const run = joinRun(this.getExecuteData(), this.getNode(), itemIndex);
		const keepGoing = this.continueOnFail();
		try {
			const task = prepare(this, operations, itemIndex);
			await allChecked();
			if (!keepGoing && !run.isWhole && !isBatched(this)) run.stop(NOT_WHOLE);
			if (run.stopped !== undefined && !keepGoing) return [];
			const items = await send(this, task, run, requestData);
			return items.map((item) => ({ ...item, pairedItem: { item: itemIndex } }));
		} catch (error) {
			if (error instanceof NotSent && run.stopped !== undefined && !keepGoing) return [];
			const shown = asNodeError(this, error, run, itemIndex);
			if (!keepGoing || isTokenRefused(shown)) run.stop(shown);
			if (!keepGoing) {
				await run.whole;
				throw shown;
			}
			return [{ json: { error: shown.message }, error: shown, pairedItem: { item: itemIndex } }];
		}
	};
}

/** Why a run stops whose items n8n did not all hand over: n8n itself reports the one that is missing. */
const NOT_WHOLE = new Error('An expression of another item failed');

/** n8n's loop over the items does not wait, so what comes after a wait comes after the loop. */
async function allChecked(): Promise<void> {
	await Promise.resolve();
}

/** With batching (a request option of n8n), the loop waits between batches: each is checked by itself. */
function isBatched(context: IExecutePaginationFunctions): boolean {
	const { batching } = context.getNodeParameter('requestOptions', {}) as {
		batching?: { batch?: { batchInterval?: number } };
	};
	return (batching?.batch?.batchInterval ?? 0) > 0;
}

function prepare(
	context: IExecutePaginationFunctions,
	operations: Operations,
	itemIndex: number,
): Task {
	const input: Input = {
		parameter: <T>(name: string, fallback?: T) =>
			context.getNodeParameter(name, fallback, { extractValue: true }) as T,
		item: context.getInputData(),
		itemIndex,
		node: context.getNode(),
	};
	const resource = String(input.parameter('resource'));
	const name = String(input.parameter('operation'));
	const operation = operations[resource]?.[name];
	if (operation === undefined) {
		throw inputError(input.node, {
			message: `There is no operation "${name}" for the resource "${resource}"`,
			description: 'Choose the resource and the operation again.',
			itemIndex,
		});
	}
	return operation.prepare(input);
}

async function send(
	context: IExecutePaginationFunctions,
	task: Task,
	run: ItemRun,
	{ options }: DeclarativeRestApiSettings.ResultOptions,
): Promise<INodeExecutionData[]> {
	const { proxy, skipSslCertificateValidation, allowedDomains } = options;
	const { timeout } = context.getNodeParameter('requestOptions', {}) as { timeout?: number };
	const transport: Transport = {
		proxy,
		skipSslCertificateValidation: skipSslCertificateValidation === true,
		allowedDomains,
		timeout,
	};
	const itemIndex = context.getItemIndex();
	if (run.stopped !== undefined) throw new NotSent(context.getNode(), itemIndex);
	return await task({ context, urgency: 'bulk', itemIndex, signal: run.signal, transport }, run);
}

function asNodeError(
	context: IExecutePaginationFunctions,
	error: unknown,
	run: ItemRun,
	itemIndex: number,
): NodeApiError | NodeOperationError {
	if (error instanceof NotSent) {
		const reason = run.stopped instanceof Error ? `: ${run.stopped.message}` : '';
		return inputError(context.getNode(), {
			message: `This item was not sent${reason}`,
			description: 'Run it again once that is settled.',
			itemIndex,
		});
	}
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		return forItem(error, context.getNode(), itemIndex);
	}
	return new NodeOperationError(
		context.getNode(),
		error instanceof Error ? error : new Error(String(error)),
		{ itemIndex },
	);
}

/**
 * Items, and nodes of several workflows, can share a request, and so its error: each gets one of its
 * own, with its index and its node.
 */
function forItem(
	error: NodeApiError | NodeOperationError,
	node: INode,
	itemIndex: number,
): NodeApiError | NodeOperationError {
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

function isTokenRefused(error: NodeApiError | NodeOperationError): boolean {
	return error instanceof NodeApiError && error.httpCode === '401';
}
