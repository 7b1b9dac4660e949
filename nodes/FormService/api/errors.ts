import { DateTime } from 'luxon';
import { NodeApiError, NodeOperationError, type Failure, type INode } from 'n8n-workflow';

/** What a person reads when something failed: what happened, and what to do next. */
export type ErrorDetails = {
	message: string;
	description?: string;
	/** The status of the service's reply, if there was one. */
	httpCode?: string;
	/** The cause, for n8n's own back-off and reports. */
	failure?: Failure;
	/** Whether the service may have done what must not be done twice. */
	mayHaveActed?: boolean;
};

/** Why a request brought no success. Other tries follow from its cause, and from whether it may have acted. */
export type RequestFailure = ErrorDetails & { description: string; failure: Failure };

/** An error in what a person entered: a parameter, an input item, the credential. Nothing was sent. */
export function createInputError(
	node: INode,
	{ message, description, itemIndex, failure }: ErrorDetails & { itemIndex?: number },
): NodeOperationError {
	const error = new NodeOperationError(node, message, { description, itemIndex, failure });
	// n8n replaces messages with a system error's code even in a word, such as EPERM in "deletePermission"
	error.message = message;
	return error;
}

/**
 * The request failed. The error carries nothing of the request itself: n8n stores errors with the
 * execution, and the request contains the token.
 */
export class ServiceError extends NodeApiError {
	/** Both n8n and its editor recognize an API error by this name, not by its class. */
	override name = 'NodeApiError';

	/** Whether the service may have acted in spite of the error, so that sending again could act twice. */
	readonly mayHaveActed: boolean;

	/** @param itemIndex the input item that the request belongs to */
	constructor(node: INode, explanation: ErrorDetails, itemIndex?: number) {
		const { message, description, httpCode, failure, mayHaveActed = false } = explanation;
		const response = { message, ...(description !== undefined && { description }) };
		super(node, response, { message, description, httpCode, itemIndex, failure });
		this.mayHaveActed = mayHaveActed;
		// see `createInputError`
		this.message = message;
	}
}

/** The caller gave up before the request's turn came: the execution was canceled, or another item failed. */
export class NotSentError extends NodeOperationError {
	override name = 'NodeOperationError';

	constructor(node: INode, itemIndex?: number) {
		super(node, 'The request was not sent', {
			description: 'The execution stopped before the request was sent.',
			itemIndex,
		});
	}
}

/** The errors that n8n can show with a node. */
export type NodeError = NodeApiError | NodeOperationError;

/** Any error as one that n8n can show with its node. */
export function asNodeError(node: INode, error: unknown, itemIndex?: number): NodeError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	return new NodeOperationError(node, error instanceof Error ? error : String(error), {
		itemIndex,
	});
}

/** The cause of an error in n8n's terms, empty if it has none. */
export function getCause(error: unknown): string {
	if (!(error instanceof NodeApiError || error instanceof NodeOperationError)) return '';
	return (error.failure as Failure | undefined)?.cause ?? '';
}

/** Whether the service may have acted in spite of an error. */
export function mayHaveActed(error: unknown): boolean {
	return error instanceof ServiceError && error.mayHaveActed;
}

export const CHECK_BASE_URL = "Check the 'Base URL' in the Form Service credential.";

export const CHECK_REPLY = `${CHECK_BASE_URL} If the URL is correct, report this message as an issue of n8n-nodes-formservice.`;

export const TRY_LATER =
	'Try again later. If this persists, contact your Form Service administrator.';

export const ASK_FOR_LARGER_PAGES = 'Ask your Form Service administrator for larger pages.';

/** The text with a full stop, unless it ends in one, as a quote can. */
export function asSentence(text: string): string {
	return /[.!?]"?$/.test(text) ? text : `${text}.`;
}

/** A text of the service on one line, truncated if it is long. */
export function truncateText(text: string, maxLength = 300): string {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > maxLength ? `${cutText(line, maxLength)}…` : line;
}

const characters = new Intl.Segmenter('en');

/** Cuts a text between two characters as people see them, so that no emoji or letter is broken. */
export function cutText(text: string, maxLength: number): string {
	if (text.length <= maxLength) return text;
	const end = characters.segment(text).containing(maxLength)!.index;
	if (end > 0) return text.slice(0, end);
	// one letter with more accents than there is room for: keep its code points whole
	return text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '');
}

/** A time to wait for, in whole minutes, such as "Nov 22, 2026, 00:31 UTC". */
export function formatTime(epochMs: number): string {
	const minuteMs = Math.ceil(epochMs / 60_000) * 60_000;
	const time = DateTime.fromMillis(minuteMs, { zone: 'utc', locale: 'en-US' });
	return time.toFormat("LLL d, yyyy, HH:mm 'UTC'");
}
