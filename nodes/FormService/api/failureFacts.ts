import type { Failure as N8nFailure } from 'n8n-workflow';

/** The facts of a failed request. The text of each reason needs only some of these facts. */
export type FailureFacts = {
	/** The status of the reply, such as 422. Undefined if no reply came. */
	status?: number;
	/**
	 * When the service accepts requests again, in epoch milliseconds. `Retry-After: 30` becomes 31 seconds from
	 * now, because the service rounds the seconds down.
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

/**
 * The facts that every text can show: the address of the account, and for an outage the message of the last
 * failure.
 */
type Address = { baseUrl: string; origin: string; lastMessage?: string };

/**
 * The parameter of a text that shows some facts. For example, `RequiredFacts<'status'>` always has a `status`,
 * because `createFailure` then requires the status.
 */
export type RequiredFacts<Name extends keyof FailureFacts> = Address &
	FailureFacts &
	Required<Pick<FailureFacts, Name>>;

/**
 * A text, or a function that creates the text. The function has the type of a method, because TypeScript lets
 * only methods take a narrower parameter, such as `RequiredFacts<'status'>`.
 */
type Text = string | { create(facts: FailureFacts & Address): string }['create'];

/**
 * What a reason means to n8n and to the user. `cause` is n8n's term, such as `rate-limited`. Only the reason
 * `canceled` has no cause.
 */
export type ReasonSpec = { cause?: N8nFailure['cause']; message: Text; advice: Text };
