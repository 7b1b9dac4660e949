import { mapValues } from 'lodash';
import type { Failure as N8nFailure } from 'n8n-workflow';
import { truncateText, type ErrorText } from './errorTexts';
import type { FailureFacts, ReasonSpec } from './failureFacts';
import { REASONS, type FailureReason } from './failureReasons';

export type { FailureReason };

/**
 * Why a request failed. From the failure, the request queue decides whether other requests must wait, and
 * `createRequestError` creates the error that n8n shows.
 */
export type RequestFailure = FailureFacts & {
	reason: FailureReason;
	/** The cause in n8n's terms, such as `rate-limited`. n8n's reports and the retries depend on the cause. */
	cause?: N8nFailure['cause'];
	/**
	 * Whether the service may have acted, so that a second request could add a second response. After a
	 * status 500, true for Create, and false for Get and Update.
	 */
	mayHaveActed: boolean;
	/** The last failure before the outage. Only for the reason `outage`. */
	lastFailure?: RequestFailure;
};

/** The facts that the error text of a reason needs, for example `RequiredFacts<'status'>`. */
type TextFacts<Reason extends FailureReason> = (typeof REASONS)[Reason][
	| 'message'
	| 'advice'] extends infer Text
	? Text extends (facts: infer Facts) => string
		? Facts
		: never
	: never;

/** The names of the facts that a type requires: `RequiredFacts<'status'>` → `status`. */
type RequiredName<Facts> = Facts extends FailureFacts
	? {
			[Name in keyof FailureFacts]-?: undefined extends Facts[Name] ? never : Name;
		}[keyof FailureFacts]
	: never;

type NeededFacts<Reason extends FailureReason> = Required<
	Pick<FailureFacts, RequiredName<TextFacts<Reason>>>
>;

type OptionalFacts = Partial<Omit<RequestFailure, 'reason'>>;

/**
 * Creates a failure. `mayHaveActed` is false if `facts` does not set it.
 *
 * @param facts must include every fact that the message and advice of the reason require
 */
export function createFailure<Reason extends FailureReason>(
	reason: Reason,
	...[facts]: Partial<NeededFacts<Reason>> extends NeededFacts<Reason>
		? [facts?: OptionalFacts]
		: [facts: OptionalFacts & NeededFacts<Reason>]
): RequestFailure {
	const { cause }: ReasonSpec = REASONS[reason];
	return { reason, cause, mayHaveActed: false, ...facts };
}

/** The maximum number of characters that an error message quotes from the service. */
const MAX_QUOTE_LENGTH = 300;

/** The maximum number of characters that a description quotes from the service. */
const MAX_MESSAGE_LENGTH = 1_000;

/**
 * Returns the message and the description for a failed request. Removes the API token from the service's texts,
 * because the service can repeat the token in a reply.
 *
 * @param account the account of the request, see `createAccount`
 */
export function describeFailure(
	failure: RequestFailure,
	account: { baseUrl: string; origin: string; redact: (text: string) => string },
): ErrorText {
	const { baseUrl, origin, redact } = account;
	// remove the token before text is cut, because a cut could leave half of the token
	const facts = mapValues(failure, (fact) => (typeof fact === 'string' ? redact(fact) : fact));
	const lastMessage = failure.lastFailure && describeFailure(failure.lastFailure, account).message;
	const fill = (text: ReasonSpec['message']) =>
		typeof text === 'string'
			? text
			: text({ ...(facts as RequestFailure), baseUrl, origin, lastMessage });
	const reason: ReasonSpec = REASONS[failure.reason];
	const message = fill(reason.message);
	const advice = fill(reason.advice);
	const serverMessage = truncateText(String(facts.serverMessage ?? ''), MAX_MESSAGE_LENGTH);
	// if the service may have acted, quote nothing, because n8n replaces the whole message if the quote contains
	// the code of a system error
	if (serverMessage === '' || failure.mayHaveActed) return { message, description: advice };
	const quote = truncateText(serverMessage, MAX_QUOTE_LENGTH);
	const isCut = serverMessage.length > MAX_QUOTE_LENGTH;
	return { message: `${message}: "${quote}"`, description: isCut ? serverMessage : advice };
}
