import type { Explanation } from '../../errors';
import { LONGEST_MINUTE_S, REQUESTS_PER_DAY, REQUESTS_PER_MINUTE } from '../../gate/limits';
import { readRefusal } from '../../gate/rateHeaders';
import type { Headers } from '../../gate/rateHeaders';
import type { Envelope } from '../../replies/content';
import { quoted, tried } from './words';
import type { Circumstances } from './words';

/** The limits are those of the specification, section 8. */

/** The day's limit, and when it ends (epoch milliseconds). */
export function dayUsedUp(until: number): Explanation {
	return {
		message: `The account's requests for the day are used up until ${new Date(until).toISOString()}`,
		description: `The service takes ${REQUESTS_PER_DAY.toLocaleString('en')} requests a day from all nodes, workflows and tools with this account. Run this again after that time, or let the workflow ask less often.`,
		httpCode: '429',
		failure: { cause: 'quota-exhausted', resetsAtEpochMs: until },
	};
}

/** A refusal (status 429) that was not repeated, or not any more. */
export function explainRefusal(
	headers: Headers,
	envelope: Envelope | undefined,
	circumstances: Circumstances,
): Explanation {
	const { now } = circumstances;
	const { limit, waitMs = LONGEST_MINUTE_S * 1000 } = readRefusal(headers, now);
	if (limit === 'day') {
		const explanation = dayUsedUp(now + waitMs);
		return { ...explanation, message: explanation.message + quoted(envelope) };
	}
	return {
		message: `The account's requests for the minute are used up${quoted(envelope)}`,
		description: `The service takes ${REQUESTS_PER_MINUTE} requests a minute from all nodes, workflows and tools with this account. Let the others ask less often.${tried(circumstances)}`,
		failure: { cause: 'rate-limited', retryAfterMs: waitMs },
	};
}
