import { sumBy } from 'lodash';
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { getAccount, type Account } from '../api/account';
import { clock } from '../api/clock';
import { asNodeError } from '../api/errors';
import type { RequestContext } from '../api/requestContext';
import { END_OF_LIST, type Subject } from './failures';
import { computeBaseIntervalMs, computeWeight, MINUTE_MS, type BudgetClaim } from './requestBudget';
import { computeServiceId, loadState, type LoadedState } from './savedState';
import { readSavedState } from './staticData';
import { collectBudgetClaims, type TriggerCache } from './triggerCache';
import { readTriggerParameters, type TriggerParameters } from './triggerParameters';
import { getWatchedFormIds, type FormStates } from './triggerState';

/** Why n8n polls: by its schedule, at its start, or because the user publishes the workflow. */
export type PollReason = 'schedule' | 'start' | 'publish';

/** What a poll may not change, except the cache. The steps of a poll return what they find. */
export type PollContext = LoadedState &
	Readonly<{
		request: RequestContext;
		parameters: TriggerParameters;
		reason: PollReason;
		times: PollTimes;
		/** The cache of this process. */
		cache: TriggerCache;
		/** How long a list of weight 1 waits for each request, see `computeBaseIntervalMs`. */
		baseIntervalMs: number;
		/** The time of n8n's last poll; undefined on the first poll of the process. */
		lastPollAtMs: number | undefined;
	}>;

/** An output item with its record. */
export type OutputItem = { record: IDataObject; item: INodeExecutionData };

/** The times of a poll: epoch milliseconds, and signals that abort at a time. */
export type PollTimes = Readonly<{
	startedAtMs: number;
	/** The time from which no further page is requested. */
	readUntilMs: number;
	/** Aborts when the poll waits for no further reply and starts no further item. */
	readDeadline: AbortSignal;
	/** Aborts when the poll waits for no further file. */
	pollDeadline: AbortSignal;
}>;

const activatedContexts = new WeakSet<IPollFunctions>();

/**
 * Returns why n8n polls. Each activation has a new context. The first poll with a context belongs to the
 * activation, and all later polls with the context belong to the schedule, so the function records the context. n8n
 * itself activates a workflow when it starts (`init`) and when another main process takes over
 * (`leadershipChange`). A user causes all other activations.
 */
export function takePollReason(n8n: IPollFunctions): PollReason {
	if (activatedContexts.has(n8n) || isDurablePoll(n8n)) return 'schedule';
	activatedContexts.add(n8n);
	return ['init', 'leadershipChange'].includes(n8n.getActivationMode()) ? 'start' : 'publish';
}

/**
 * Whether a poll belongs to the schedule of n8n's durable mode. Each such poll has a new context, so only its time
 * differs from that of an activation: 36 seconds, unless n8n is configured otherwise.
 */
function isDurablePoll(n8n: IPollFunctions): boolean {
	return getPollTimeMs(n8n) !== DEFAULT_POLL_TIME_MS;
}

/** The time of a poll outside of n8n's durable mode, and the limit for all polls. */
const DEFAULT_POLL_TIME_MS = 5 * MINUTE_MS;

/** Returns how long this poll may take, in milliseconds (n8n 2.38 and later say so). */
function getPollTimeMs(n8n: IPollFunctions): number {
	const { getPollBudgetMs } = n8n as Partial<IPollFunctions>;
	return typeof getPollBudgetMs === 'function' ? getPollBudgetMs.call(n8n) : DEFAULT_POLL_TIME_MS;
}

/** The settings of the node and its credential. */
type Config = { parameters: TriggerParameters; account: Account };

/**
 * Reads the parameters and the account. Undefined if they are invalid and the user need not see it now.
 *
 * @throws NodeOperationError if they are invalid and the user must see it now
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
		cache.failures.clear({ kind: 'parameters' }, END_OF_LIST);
		clearOutdatedCache(cache, JSON.stringify([account.key, parameters]));
		// the user may have changed the fields before publishing the workflow
		if (reason === 'publish') cache.fields.clear();
		return { parameters, account };
	} catch (cause) {
		const error = asNodeError(n8n.getNode(), cause);
		if (reason !== 'schedule') throw error;
		cache.failures.record({ kind: 'parameters' }, error);
		const reported = cache.failures.takeReport(polledAtMs);
		if (reported !== undefined) throw reported;
		n8n.logger.warn(`The forms cannot be polled: ${error.message}`);
		return undefined;
	}
}

/** Clears failures, fields and names if the parameters or the account have changed. */
function clearOutdatedCache(cache: TriggerCache, configKey: string): void {
	if (configKey === cache.configKey) return;
	cache.configKey = configKey;
	cache.failures.clearAll();
	cache.fields.clear();
	cache.names.byId.clear();
	cache.names.fetchedAtMs = -Infinity;
}

/**
 * The shares of a poll's time after which no page is requested, no request waits in the queue, and no reply is
 * read.
 */
const REQUEST_SHARE = 0.6;
const QUEUE_SHARE = 0.75;
const READ_SHARE = 0.8;

/**
 * Starts a poll: registers in the cache what the trigger needs of the account's requests, and returns the context,
 * with the state to continue from.
 */
export function startPoll(
	n8n: IPollFunctions,
	cache: TriggerCache,
	reason: PollReason,
	{ parameters, account }: Config,
): PollContext {
	const startedAtMs = clock.now();
	const timeMs = Math.min(getPollTimeMs(n8n), DEFAULT_POLL_TIME_MS);
	const service = computeServiceId(account.baseUrl);
	const loaded = loadState(readSavedState(n8n), cache.states, service);
	const lastPollAtMs = cache.budgetClaim?.polledAtMs;
	cache.budgetClaim = createBudgetClaim(account, parameters, loaded.startState.forms, startedAtMs);
	const signal = clock.timeout(timeMs * QUEUE_SHARE);
	return {
		// a poll retries nothing: the next poll reads what this one could not
		request: { n8n, account, priority: 'high', retry: false, signal },
		parameters,
		reason,
		times: {
			startedAtMs,
			readUntilMs: startedAtMs + timeMs * REQUEST_SHARE,
			readDeadline: clock.timeout(timeMs * READ_SHARE),
			pollDeadline: clock.timeout(timeMs),
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

/** Whether the poll still backs off from a subject. Polls at the start of n8n and on publishing never back off. */
export function isBackingOff({ cache, reason }: PollContext, subject: Subject): boolean {
	return reason === 'schedule' && cache.failures.isWaiting(subject);
}
