import type { Failure as N8nFailure } from 'n8n-workflow';

/** The facts of a failed request. The error text of a reason shows only a few of these facts. */
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
	/** The URL to which a reply redirects. */
	location?: string;
	/** The limit that was exceeded: a number of requests, pages, files or megabytes. */
	limit?: number;
	/** How many passes of a list were read. */
	passes?: number;
	/** The expected data, such as "a list of records". */
	expected?: string;
	/** What the reply has instead of the expected data, such as `an object with "id"`. */
	shape?: string;
	/** What shows that a list has more records, such as `"has_more"` or `8 of 25 records`. */
	evidence?: string;
	/** The host of a file, such as `files.example.com`. */
	host?: string;
	/** Why the link to a file is not followed, such as "it is not a web address". */
	linkProblem?: string;
};

/**
 * The facts that every error text can show: the URLs of the account and, in an outage, the message of the
 * last failure.
 */
type SharedFacts = { baseUrl: string; origin: string; lastMessage?: string };

/**
 * The parameter of a function that creates an error text. With the type `RequiredFacts<'status'>`, the
 * function needs a `status`, and `createFailure` requires the status.
 */
export type RequiredFacts<Name extends keyof FailureFacts> = SharedFacts &
	FailureFacts &
	Required<Pick<FailureFacts, Name>>;

/**
 * An error text, or a function that creates the error text. The function has the type of a method, because
 * TypeScript lets only methods take a narrower parameter, such as `RequiredFacts<'status'>`.
 */
type Text = string | { create(facts: FailureFacts & SharedFacts): string }['create'];

/**
 * What a reason means to n8n and to the user. `cause` is n8n's term, such as `rate-limited`. Only the reason
 * `canceled` has no cause.
 */
export type ReasonSpec = { cause?: N8nFailure['cause']; message: Text; advice: Text };
