import { mapValues } from 'lodash';
import type { Failure as N8nFailure } from 'n8n-workflow';
import { truncateText, type ErrorText } from './errorTexts';
import type { FailureFacts, ReasonSpec } from './failureFacts';
import { REASONS, type FailureReason } from './failureReasons';

export type { FailureReason };

/**
 * A request that failed. The request queue and the retries act on it, and `createRequestError` turns it into the
 * error that n8n shows.
 */
export type RequestFailure = FailureFacts & {
	reason: FailureReason;
	/** The reason in n8n's terms, such as `rate-limited`. n8n reports by it, and retries follow from it. */
	cause?: N8nFailure['cause'];
	/** Whether a second request could act twice: true for status 500 to Create, false to Get and Update. */
	mayHaveActed: boolean;
	/** The last of the failures that an outage consists of. */
	lastFailure?: RequestFailure;
};

/** Returns a failure with the cause of its reason. Unless `facts` say otherwise, the service did not act. */
export function createFailure(
	reason: FailureReason,
	facts: Partial<Omit<RequestFailure, 'reason'>> = {},
): RequestFailure {
	const { cause }: ReasonSpec = REASONS[reason];
	return { reason, cause, mayHaveActed: false, ...facts };
}

/** The longest quote of the service in a message, and in the description if the quote is longer. */
const MAX_QUOTE_LENGTH = 300;
const MAX_MESSAGE_LENGTH = 1_000;

/**
 * Describes a failure. Quotes the service without the token, which the service could repeat.
 *
 * @param account the account of the request, see `createAccount`
 */
export function describeFailure(
	failure: RequestFailure,
	account: { baseUrl: string; origin: string; redact: (text: string) => string },
): ErrorText {
	const { baseUrl, origin, redact } = account;
	// the token is removed before a text is cut off within it
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
	// a quote can have the code of a system error, and the message must stay, see `failureReasons`
	if (serverMessage === '' || failure.mayHaveActed) return { message, description: advice };
	const quote = truncateText(serverMessage, MAX_QUOTE_LENGTH);
	const isCut = serverMessage.length > MAX_QUOTE_LENGTH;
	return { message: `${message}: "${quote}"`, description: isCut ? serverMessage : advice };
}
