import { sumBy } from 'lodash';
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { getAccount, type Account } from '../api/account';
import { clock } from '../api/clock';
import { toNodeError } from '../api/errors';
import type { RequestContext } from '../api/requestContext';
import { HIGHEST_PAGE_NUMBER, type FailureSubject } from './failures';
import { REGULAR_POLL_TIMEOUT_MS, getPollTimeoutMs, type PollReason } from './pollReason';
import { computeBaseIntervalMs, computeWeight, type BudgetClaim } from './requestBudget';
import { computeServiceId, loadState, type LoadedState } from './savedState';
import { readSavedState } from './staticData';
import { collectBudgetClaims, type TriggerCache } from './triggerCache';
import { readTriggerParameters, type TriggerParameters } from './triggerParameters';
import { getWatchedFormIds, type FormStates } from './triggerState';

/** The values that all steps of a poll need. A step may change only `cache`. A step returns all other results. */
export type PollContext = LoadedState &
	Readonly<{
		request: RequestContext;
		parameters: TriggerParameters;
		reason: PollReason;
		times: PollTimes;
		/** The cache of this process. */
		cache: TriggerCache;
		/** The request interval of a list with weight 1, see `computeBaseIntervalMs`. */
		baseIntervalMs: number;
		/** When n8n last polled the trigger. Undefined in the first poll of this process. */
		lastPollAtMs: number | undefined;
	}>;

/** An output item, and the record from which the item was created. */
export type OutputItem = { record: IDataObject; item: INodeExecutionData };

/** The limits of a poll's time, as epoch milliseconds or as signals. */
export type PollTimes = Readonly<{
	pollStartedAtMs: number;
	/** From this time on, the poll requests no further page. */
	readUntilMs: number;
	/**
	 * Aborts when the poll must no longer wait for a reply. With Download Files, the poll also creates no
	 * further items after this time.
	 */
	readDeadline: AbortSignal;
	/** Aborts when the poll must no longer wait for files. */
	pollDeadline: AbortSignal;
}>;

/** The parameters of the node and the account of its credential. */
type Config = { parameters: TriggerParameters; account: Account };

/**
 * Reads the parameters and the account. Clears cached values if the parameters or the account have changed.
 * If the parameters or the account are wrong, a scheduled poll reports the error only after several failures.
 * Until then, returns undefined.
 *
 * @throws NodeOperationError if the parameters or the account are wrong, and the user must see the error now
 */
export async function readConfig(
	n8n: IPollFunctions,
	cache: TriggerCache,
	reason: PollReason,
): Promise<Config | undefined> {
	const polledAtMs = clock.now();
	try {
		const parameters = readTriggerParameters(n8n);
		const account = await getAccount(n8n);
		cache.failures.clear({ kind: 'parameters' }, HIGHEST_PAGE_NUMBER);
		clearOutdatedCache(cache, JSON.stringify([account.key, parameters]));
		// the user may have changed the fields before publishing the workflow
		if (reason === 'publish') cache.fields.clear();
		return { parameters, account };
	} catch (cause) {
		const error = toNodeError(n8n.getNode(), cause);
		if (reason !== 'schedule') throw error;
		cache.failures.record({ kind: 'parameters' }, error);
		const reported = cache.failures.takeErrorToReport(polledAtMs);
		if (reported !== undefined) throw reported;
		n8n.logger.warn(`The forms cannot be polled: ${error.message}`);
		return undefined;
	}
}

/** Clears the failures, fields and names in the cache if the parameters or the account have changed. */
function clearOutdatedCache(cache: TriggerCache, configKey: string): void {
	if (configKey === cache.configKey) return;
	cache.configKey = configKey;
	cache.failures.clearAll();
	cache.fields.clear();
	cache.names.byId.clear();
	cache.names.fetchedAtMs = -Infinity;
}

/** The fraction of the poll's time in which the poll starts requests for pages. */
const REQUEST_SHARE = 0.6;

/**
 * The fraction of the poll's time in which requests stay in the queue. After this time, the poll cancels
 * requests that are still in the queue, and ends without a failure. The fraction is lower than `READ_SHARE`,
 * because a request that is not finished at `READ_SHARE` can count as a failure.
 */
const QUEUE_SHARE = 0.75;

/** The fraction of the poll's time in which the poll waits for replies. */
const READ_SHARE = 0.8;

/**
 * Creates the context of a poll. Loads the state from which the poll continues. Stores the trigger's
 * `BudgetClaim` in the cache.
 */
export function startPoll(
	n8n: IPollFunctions,
	cache: TriggerCache,
	reason: PollReason,
	{ parameters, account }: Config,
): PollContext {
	const pollStartedAtMs = clock.now();
	const timeoutMs = Math.min(getPollTimeoutMs(n8n), REGULAR_POLL_TIMEOUT_MS);
	const service = computeServiceId(account.baseUrl);
	const loaded = loadState(readSavedState(n8n), cache.states, service);
	// read the time of the last poll before the next line replaces the claim
	const lastPollAtMs = cache.budgetClaim?.polledAtMs;
	cache.budgetClaim = createBudgetClaim(
		account,
		parameters,
		loaded.startState.forms,
		pollStartedAtMs,
	);
	const signal = clock.timeout(timeoutMs * QUEUE_SHARE);
	return {
		// a poll does not retry, because the next poll reads the same pages
		request: { n8n, account, priority: 'high', retry: false, signal },
		parameters,
		reason,
		times: {
			pollStartedAtMs,
			readUntilMs: pollStartedAtMs + timeoutMs * REQUEST_SHARE,
			readDeadline: clock.timeout(timeoutMs * READ_SHARE),
			pollDeadline: clock.timeout(timeoutMs),
		},
		...loaded,
		cache,
		baseIntervalMs: computeBaseIntervalMs(collectBudgetClaims(), cache.budgetClaim),
		lastPollAtMs,
	};
}

function createBudgetClaim(
	{ key: accountKey }: Account,
	parameters: TriggerParameters,
	forms: FormStates,
	polledAtMs: number,
): BudgetClaim {
	const { lists, requestsPerDay } = parameters;
	const weight = sumBy(getWatchedFormIds(parameters, forms), (id) =>
		computeWeight(forms.get(id)?.deliveredAtMs, polledAtMs),
	);
	return {
		accountKey,
		requestsPerDay,
		weight: Math.max(1, weight + Number(lists.forms)),
		polledAtMs,
	};
}

/**
 * Whether the poll skips a subject, such as a form, because the backoff of the subject is not over. Always
 * false in the first poll after n8n starts or the user publishes the workflow.
 */
export function isBackingOff({ cache, reason }: PollContext, subject: FailureSubject): boolean {
	return reason === 'schedule' && cache.failures.isInBackoff(subject);
}
