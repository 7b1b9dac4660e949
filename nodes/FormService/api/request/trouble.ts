import type { Failure } from 'n8n-workflow';
import { clock } from '../clock';
import type { Effect } from '../endpoints';
import { asSentence, CHECK_BASE_URL, formatTime, TRY_LATER } from '../errors';
import type { Explanation } from '../errors';
import {
	LONGEST_MINUTE_S,
	REQUESTS_PER_DAY,
	REQUESTS_PER_MINUTE,
	TOO_MANY_REQUESTS,
	UNKNOWN_DAY_MS,
} from './limits';
import type { Refusal } from './limits';
import type { HeldBack } from './requestQueue';
import type { RequestContext } from '../requestContext';
import { isSetting } from './http';
import type { Broken, ConnectionProblem } from './http';

/** Why a request brought no success: what a person reads, and what follows for another try. */
export type Trouble = Explanation & {
	description: string;
	failure: Failure;
	/** How often a request is sent in all while it ends so. */
	maxTries: number;
	/** Whether the service may have acted on the request all the same. */
	mayHaveActed: boolean;
	/** How long the service asks to wait before another try. */
	retryAfterMs?: number;
};

/** The most tries of one request, not counting those refused for the minute's limit. */
export const MAX_TRIES = 4;

/** Other clients of the account can use up each new window first, but hardly this often in a row. */
const MAX_REFUSALS = 10;

/** The most tries that end in a timeout, since each takes long. */
const MAX_TIMEOUTS = 2;

/** The first pause before a request is sent again. Each further pause is twice as long. */
const FIRST_PAUSE_MS = 1_000;

/**
 * Decides whether to send a request again. What is safe or idempotent is repeated while the trouble can
 * pass. What must act once is repeated only if the service certainly did not act: it refused with 429,
 * or no connection was established.
 *
 * @param tries how often the request has ended so; refusals for the minute's limit count by themselves
 * @param random a number from 0 up to 1, so that clients do not all return at the same moment
 * @returns the milliseconds to wait before; undefined if the request is not sent again
 */
export function decideRetry(
	kind: Effect['kind'],
	{ maxTries, mayHaveActed, failure, retryAfterMs = 0 }: Trouble,
	tries: number,
	random: number,
): number | undefined {
	if (tries >= maxTries || (kind === 'once' && mayHaveActed)) return undefined;
	// the rate limiter waits for the next window
	if (failure.cause === 'rate-limited') return 0;
	return Math.max(FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + random / 2), retryAfterMs);
}

/** Explains a request that brought no success, where after any of its tries the service may have acted. */
export function explain(
	trouble: Trouble,
	{ effect, tries, isUncertain }: { effect: Effect; tries: number; isUncertain: boolean },
): Explanation {
	const { ifUncertain, kind } = effect;
	if (isUncertain && ifUncertain !== undefined) {
		return {
			...trouble,
			message: `${asSentence(trouble.message)} ${ifUncertain.message}`,
			description: ifUncertain.description,
			mayHaveActed: kind === 'once',
		};
	}
	const description = trouble.description + (tries > 1 ? ` Tried ${tries} times.` : '');
	return { ...trouble, description, mayHaveActed: false };
}

/** What a person reads, and the cause; without a cause, a person has to change something. */
export type Text = [message: string, description: string, cause?: Failure['cause']];

/** The trouble of a request that got no whole reply. */
export function explainBroken(
	{ problem, detail = '' }: Pick<Broken, 'problem' | 'detail'>,
	{ account: { origin }, transport }: Pick<RequestContext, 'account' | 'transport'>,
): Trouble {
	const texts: Record<ConnectionProblem, Text> = {
		connectionRefused: [
			`Couldn't connect to ${origin} (connection refused)`,
			`Form Service may be down. ${CHECK_BASE_URL}`,
		],
		unknownHost: [
			`Couldn't find the host name in ${origin}`,
			`${CHECK_BASE_URL} If the URL is correct, n8n's DNS may be failing.`,
		],
		unreachable: [
			`Couldn't reach ${origin} from n8n's network`,
			`${CHECK_BASE_URL} If the URL is correct, check the network of the machine that runs n8n.`,
		],
		certificate: [
			`The certificate of ${origin} was not accepted (${detail})`,
			`${CHECK_BASE_URL} If the certificate comes from your own authority, add the authority to n8n (NODE_EXTRA_CA_CERTS).`,
		],
		encryption: [
			`Couldn't establish a secure connection to ${origin} (${detail})`,
			`${CHECK_BASE_URL} Form Service may use http or a different port.`,
		],
		notAllowed: [
			`n8n does not allow requests to ${origin}: ${detail}`,
			"Check the allowed domains of the credential and n8n's SSRF protection.",
		],
		timeout: [
			`${origin} did not reply in time`,
			transport === undefined ? TRY_LATER : `${TRY_LATER} ${SET_TIMEOUT}`,
		],
		interrupted: [`The connection to ${origin} broke before the whole reply arrived`, TRY_LATER],
	};
	const [message, description] = texts[problem];
	return {
		message,
		description,
		failure: { cause: isSetting(problem) ? 'configuration-invalid' : 'temporarily-unavailable' },
		maxTries: isSetting(problem) ? 1 : problem === 'timeout' ? MAX_TIMEOUTS : MAX_TRIES,
		// no request is sent without a connection
		mayHaveActed: problem === 'timeout' || problem === 'interrupted',
	};
}

export const SET_TIMEOUT = "To wait longer, set 'Timeout' in the node's request options.";

export function explainRefusal({ limit, allowed, waitMs }: Refusal): Trouble {
	const retryAfterMs = waitMs ?? (limit === 'day' ? UNKNOWN_DAY_MS : LONGEST_MINUTE_S * 1000);
	const until = clock.now() + retryAfterMs;
	const perPeriod = allowed ?? (limit === 'day' ? REQUESTS_PER_DAY : REQUESTS_PER_MINUTE);
	const count = `Form Service allows ${perPeriod.toLocaleString('en-US')} requests a ${limit} for all nodes, workflows and tools that use this account.`;
	const refused = { httpCode: String(TOO_MANY_REQUESTS), mayHaveActed: false };
	if (limit === 'day') {
		return {
			...refused,
			message: `Daily request limit reached. It resets at ${formatTime(until)}`,
			description: `${count} Run this again after that time, or let the workflow send fewer requests.`,
			failure: { cause: 'quota-exhausted', resetsAtEpochMs: until },
			maxTries: 1,
		};
	}
	return {
		...refused,
		message: "This account's per-minute limit is used up",
		description: `${count} Let other workflows on this account send fewer requests.`,
		failure: { cause: 'rate-limited', retryAfterMs },
		maxTries: MAX_REFUSALS,
	};
}

/** Explains a request that was not sent. */
export function explainHeldBack(held: Exclude<HeldBack, { kind: 'notSent' }>): Explanation {
	if (held.kind !== 'dayUsedUp') return NOT_SENT[held.kind];
	const waitMs = held.until - clock.now();
	return explainRefusal({ limit: 'day', allowed: held.allowed, waitMs });
}

const NOT_SENT: Record<'serviceDown' | 'onlyRefusals', Explanation> = {
	serviceDown: {
		message: 'Not sent: Form Service failed repeatedly',
		description:
			'The node tests Form Service every 5 minutes. Run this item again once Form Service works.',
		failure: { cause: 'temporarily-unavailable' },
	},
	onlyRefusals: {
		message: "Not sent: other workflows or tools are using up this account's limit",
		description:
			'Let other workflows and tools on this account send fewer requests, then run this item again.',
		failure: { cause: 'rate-limited' },
	},
};
