import type { Failure as N8nFailure } from 'n8n-workflow';

/** The facts of a failed request. A reason needs only what its text shows. */
export type FailureFacts = {
	/** The status of the reply, such as 422. Undefined if no reply came. */
	status?: number;
	/** When the service accepts requests again, in epoch milliseconds: in 31 s for `Retry-After: 30`. */
	retryAtMs?: number;
	/** The message in the service's reply, such as "The given data was invalid." */
	serverMessage?: string;
	/** The record that the last ID in the path belongs to, such as "form". */
	noun?: string;
	/** The code or message of the network's error, such as `ECONNRESET`. */
	networkError?: string;
	/** Why n8n blocks the request, in n8n's words. */
	blockReason?: string;
	/** Where a reply redirects to. */
	location?: string;
	/** The number that was exceeded: of requests a minute, pages, files or megabytes. */
	limit?: number;
	/** The expected data, such as "a list of records". */
	expected?: string;
	/** The shape of the reply instead, such as `an object with "id"`. */
	shape?: string;
	/** The evidence that a list has another page, such as `"has_more"`. */
	evidence?: string;
	/** The host of a file, such as `files.example.com`. */
	host?: string;
	/** Why the link to a file is not followed, such as "it is not a web address". */
	linkProblem?: string;
};

/** A text, or a function that creates it from the facts, the address, and the message of the last failure. */
type Text =
	| string
	| ((facts: FailureFacts & { baseUrl: string; origin: string; lastMessage?: string }) => string);

/** The cause in n8n's terms; without a cause, nothing is wrong with the node or the service. */
export type ReasonSpec = { cause?: N8nFailure['cause']; message: Text; advice: Text };
