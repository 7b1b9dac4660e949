import type { Failure as N8nFailure } from 'n8n-workflow';

/** The facts of a failed request. The text of each reason needs only some of these facts. */
export type FailureFacts = {
	/** The status of the reply, such as 422. Undefined if no reply came. */
	status?: number;
	/**
	 * When the service accepts requests again, in epoch milliseconds. For `Retry-After: 30`, this time is in 31
	 * seconds.
	 */
	retryAtMs?: number;
	/** The message in the service's reply, such as "The given data was invalid." */
	serverMessage?: string;
	/** What the last ID in the path of the request identifies, such as "form". */
	noun?: string;
	/** The code or message of a network error, such as `ECONNRESET`. */
	networkError?: string;
	/** Why n8n blocked the request, in n8n's words. */
	blockReason?: string;
	/** The address to which a reply redirects. */
	location?: string;
	/** The limit that was exceeded: requests per minute, pages, files or megabytes. */
	limit?: number;
	/** How many passes of a list were read. */
	passes?: number;
	/** The expected data, such as "a list of records". */
	expected?: string;
	/** What the reply has instead of the expected data, such as `an object with "id"`. */
	shape?: string;
	/** The attribute that shows that a list has another page, such as `"has_more"`. */
	evidence?: string;
	/** The host of a file, such as `files.example.com`. */
	host?: string;
	/** Why the link to a file is not followed, such as "it is not a web address". */
	linkProblem?: string;
};

/** What each text can show besides the facts: the address, and the message of the last failure. */
type Address = { baseUrl: string; origin: string; lastMessage?: string };

/**
 * The facts for a text that needs some of the facts. `createFailure` does not compile if one of the needed
 * facts is missing.
 */
export type Known<Name extends keyof FailureFacts> = Address &
	FailureFacts &
	Required<Pick<FailureFacts, Name>>;

/**
 * A text, or a function that creates the text. The type of the function is the type of a method, so that the
 * function may require some of the facts, see `Known`.
 */
type Text = string | { create(facts: FailureFacts & Address): string }['create'];

/**
 * The meaning of a reason. `cause` is n8n's term, such as `rate-limited`. If `cause` is undefined, neither the
 * node nor the service has made a mistake.
 */
export type ReasonSpec = { cause?: N8nFailure['cause']; message: Text; advice: Text };
