import { NodeApiError, NodeOperationError, type Failure, type INode } from 'n8n-workflow';
import { clock } from './clock';
import type { ErrorText } from './errorTexts';
import type { FailureReason, RequestFailure } from './requestFailure';

/** The errors that n8n can show with a node. */
export type NodeError = NodeApiError | NodeOperationError;

/** An error in the parameters of the node, an input item or the credential. Nothing was sent. */
export class InputError extends NodeOperationError {
	/** n8n and its editor recognize the error by this name, not by its class. */
	override name = 'NodeOperationError';

	constructor(
		node: INode,
		{
			message,
			description,
			itemIndex,
			failure,
		}: Partial<ErrorText> & { message: string; itemIndex?: number; failure?: Failure },
	) {
		super(node, message, { description, itemIndex, failure });
		// n8n replaces messages with a system error's code even in a word, such as EPERM in "deletePermission"
		this.message = message;
	}
}

/**
 * The error of a failed request. It carries nothing of the request itself: n8n stores errors with the
 * execution, and the request contains the token.
 */
export class ServiceError extends NodeApiError {
	/** Both n8n and its editor recognize an API error by this name, not by its class. */
	override name = 'NodeApiError';

	/** Private, since n8n stores all other fields with the execution. */
	readonly #requestFailure: RequestFailure;

	/** @param itemIndex the input item that the request belongs to */
	constructor(
		node: INode,
		requestFailure: RequestFailure,
		{ message, description }: ErrorText,
		itemIndex?: number,
	) {
		const { status } = requestFailure;
		const httpCode = status === undefined ? undefined : String(status);
		const failure = toN8nFailure(requestFailure);
		super(node, { message, description }, { message, description, httpCode, itemIndex, failure });
		this.#requestFailure = requestFailure;
		// see `InputError`
		this.message = message;
	}

	/** Why the request failed. */
	get requestFailure(): RequestFailure {
		return this.#requestFailure;
	}

	/** Copies the error with another text for an item: items can share a request, and so its error. */
	withText(text: ErrorText, itemIndex?: number): ServiceError {
		return new ServiceError(this.node, this.#requestFailure, text, itemIndex);
	}
}

/** Converts a failure to n8n's terms. The attribute for the time to wait depends on the cause. */
function toN8nFailure({ cause, retryAtMs }: RequestFailure): Failure | undefined {
	if (cause === undefined) return undefined;
	if (retryAtMs === undefined) return { cause };
	if (cause === 'quota-exhausted') return { cause, resetsAtEpochMs: retryAtMs };
	const isTimed = cause === 'rate-limited' || cause === 'temporarily-unavailable';
	return isTimed ? { cause, retryAfterMs: Math.max(0, retryAtMs - clock.now()) } : { cause };
}

/** Converts any error to an error that n8n can show with its node. */
export function asNodeError(node: INode, error: unknown, itemIndex?: number): NodeError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	return new NodeOperationError(node, error instanceof Error ? error : String(error), {
		itemIndex,
	});
}

/** Returns the cause of an error in n8n's terms, empty if it has none. */
export function getCause(error: unknown): string {
	if (!(error instanceof NodeApiError || error instanceof NodeOperationError)) return '';
	return (error.failure as Failure | undefined)?.cause ?? '';
}

/** Returns the failure of the request that caused an error; undefined if no request caused the error. */
export function getRequestFailure(error: unknown): RequestFailure | undefined {
	return error instanceof ServiceError ? error.requestFailure : undefined;
}

/** Whether a request failed for one of these reasons. */
export function hasReason(error: unknown, ...reasons: FailureReason[]): boolean {
	const reason = getRequestFailure(error)?.reason;
	return reason !== undefined && reasons.includes(reason);
}

/** Whether a second request could act twice, such as add a response again. */
export function mayHaveActed(error: unknown): boolean {
	return getRequestFailure(error)?.mayHaveActed ?? false;
}
