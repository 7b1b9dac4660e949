import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { Failure, INode } from 'n8n-workflow';

/** What a person reads when something cannot be done: what happened, and what to do about it. */
export type Explanation = {
	message: string;
	description?: string;
	/** The status of the service's reply, where there was one. */
	httpCode?: string;
	/** Why, for n8n's own back-off and reports. */
	failure?: Failure;
	/** Whether the service may have done what must not be done twice. */
	mayHaveActed?: boolean;
};

/**
 * An error in what a person gave: a parameter, an input item, the credential. Nothing was sent.
 *
 * @param text.itemIndex the input item that it belongs to
 */
export function inputError(
	node: INode,
	{ message, description, itemIndex, failure }: Explanation & { itemIndex?: number },
): NodeOperationError {
	return worded(
		new NodeOperationError(node, message, { description, itemIndex, failure }),
		message,
	);
}

/**
 * An error in what came of a request. It carries nothing of the request itself: n8n stores errors
 * with the execution, and the request holds the token.
 */
export function serviceError(
	node: INode,
	{ message, description, httpCode, failure, mayHaveActed = false }: Explanation,
	itemIndex?: number,
): NodeApiError {
	const error = new NodeApiError(
		node,
		{ message, ...(description !== undefined && { description }) },
		{ message, description, httpCode, itemIndex, failure },
	);
	if (mayHaveActed) uncertain.add(error);
	return worded(error, message);
}

const uncertain = new WeakSet<Error>();

/** Whether the service may have acted in spite of an error, so that sending again could do it twice. */
export function mayHaveActed(error: unknown): boolean {
	return error instanceof Error && uncertain.has(error);
}

/**
 * n8n puts a text of its own in place of a message that has the name of a system's error in it, if
 * only within a word: a service that says "deletePermission is missing" has an EPERM in it.
 */
function worded<T extends NodeApiError | NodeOperationError>(error: T, message: string): T {
	error.message = message;
	return error;
}

/**
 * A request that was given up before its end: the execution was cancelled, or another item of the
 * run failed.
 */
export class NotSent extends NodeOperationError {
	constructor(node: INode, itemIndex?: number) {
		super(node, 'The request was not sent', {
			description: 'The execution was stopped before its turn came.',
			itemIndex,
		});
	}
}
