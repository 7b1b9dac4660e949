import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import type { ErrorText, FailureReason, RequestFailure } from './failures';

export type NodeError = NodeApiError | NodeOperationError;

/** An error in the parameters of the node, in an input item or in the credential. No request was sent. */
export class InputError extends NodeOperationError {
	/** n8n and its editor recognize this kind of error by the name. */
	override name = 'NodeOperationError';

	constructor(
		node: INode,
		{ message, ...options }: Partial<ErrorText> & { message: string; itemIndex?: number },
	) {
		super(node, message, options);
		// n8n replaces every message that contains the code of a system error, even within a word: "EPERM" in
		// "deletePermission"
		this.message = message;
	}
}

/** The error of a failed request, without the request: n8n stores errors, and the request has the token. */
export class ServiceError extends NodeApiError {
	override name = 'NodeApiError';

	/** Private, because n8n stores all public fields with the execution. */
	readonly #requestFailure: RequestFailure;

	constructor(
		node: INode,
		requestFailure: RequestFailure,
		{ message, description }: ErrorText,
		itemIndex?: number,
	) {
		const { status } = requestFailure;
		const httpCode = status === undefined ? undefined : String(status);
		super(node, { message, description }, { message, description, httpCode, itemIndex });
		this.#requestFailure = requestFailure;
		this.message = message;
	}

	get requestFailure(): RequestFailure {
		return this.#requestFailure;
	}

	withText(text: ErrorText, itemIndex?: number): ServiceError {
		return new ServiceError(this.node, this.#requestFailure, text, itemIndex);
	}
}

export function toNodeError(node: INode, error: unknown, itemIndex?: number): NodeError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	const cause = error instanceof Error ? error : String(error);
	return new NodeOperationError(node, cause, { itemIndex });
}

export function getRequestFailure(error: unknown): RequestFailure | undefined {
	return error instanceof ServiceError ? error.requestFailure : undefined;
}

export function hasReason(error: unknown, ...reasons: FailureReason[]): boolean {
	const reason = getRequestFailure(error)?.reason;
	return reason !== undefined && reasons.includes(reason);
}

/** Whether a second request could add a response twice. */
export function mayHaveActed(error: unknown): boolean {
	return getRequestFailure(error)?.mayHaveActed ?? false;
}
