import { sumBy } from 'lodash';
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { getAccount, type Account } from '../api/account';
import { clock } from '../api/clock';
import { asNodeError } from '../api/errors';
import type { RequestContext } from '../api/requestContext';
import type { Subject } from './failures';
import { computeIntervalMs, computeWeight, MINUTE_MS, type BudgetClaim } from './requestBudget';
import { computeServiceId, loadState } from './savedState';
import { readSavedState } from './staticData';
import { collectBudgetClaims, type TriggerCache } from './triggerCache';
import { readTriggerParameters, type TriggerParameters } from './triggerParameters';
import { getWatchedFormIds, type FormStates, type TriggerState } from './triggerState';

/** Why n8n polls: its schedule says so, n8n starts, or a person publishes the workflow. */
export type PollReason = 'schedule' | 'start' | 'publish';

/** What a poll is given and may not change. What a poll finds, its steps return. */
export type PollContext = Readonly<{
	request: RequestContext;
	parameters: TriggerParameters;
	reason: PollReason;
	times: PollTimes;
	/** The state that the poll starts with. */
	state: TriggerState;
	/** What this process remembers. */
	cache: TriggerCache;
	/** How long a list of weight 1 waits for each request. */
	intervalMs: number;
	/** When n8n polled before; undefined on the first poll of the process. */
	lastPollAtMs: number | undefined;
}>;

/** An output item and the record that it was made of. */
export type OutputItem = { record: IDataObject; item: INodeExecutionData };

/** The times of a poll: epoch milliseconds, and signals that abort then. */
export type PollTimes = Readonly<{
	startedAtMs: number;
	/** No further page is requested. */
	readUntilMs: number;
	/** Replies that have not come are abandoned, and no further item is begun. */
	readDeadline: AbortSignal;
	/** Files that have not come are abandoned. */
	pollDeadline: AbortSignal;
}>;

const activatedContexts = new WeakSet<IPollFunctions>();

/**
 * Finds why n8n polls. An activation brings a new context, and polls with it once before the first scheduled
 * poll. In durable mode each scheduled poll has a new context too, with a shorter time: 36 seconds unless n8n
 * is configured otherwise. n8n activates as it starts (`init`) and when another main process takes over
 * (`leadershipChange`). A person causes all other activations.
 */
export function findPollReason(n8n: IPollFunctions): PollReason {
	if (activatedContexts.has(n8n) || getTimeBudgetMs(n8n) !== DEFAULT_BUDGET_MS) return 'schedule';
	activatedContexts.add(n8n);
	return ['init', 'leadershipChange'].includes(n8n.getActivationMode()) ? 'start' : 'publish';
}

/** The time of a poll outside of n8n's durable mode, and the limit for all polls. */
const DEFAULT_BUDGET_MS = 5 * MINUTE_MS;

/** Returns how long this poll may take, in milliseconds (n8n 2.38 and later say so). */
function getTimeBudgetMs(n8n: IPollFunctions): number {
	const { getPollBudgetMs } = n8n as Partial<IPollFunctions>;
	return typeof getPollBudgetMs === 'function' ? getPollBudgetMs.call(n8n) : DEFAULT_BUDGET_MS;
}

/** What the user has set. */
type Config = { parameters: TriggerParameters; account: Account };

/**
 * Reads the parameters and the account; undefined if they cannot be used.
 *
 * @throws NodeOperationError why they cannot be used, if a person is to see that now
 */
export async function readConfig(
	n8n: IPollFunctions,
	cache: TriggerCache,
	reason: PollReason,
): Promise<Config | undefined> {
	try {
		const parameters = readTriggerParameters(n8n);
		const account = await getAccount(n8n);
		cache.failures.clear({ kind: 'parameters' });
		clearOutdatedCache(cache, JSON.stringify([account.key, parameters]));
		// a person who publishes the workflow may have changed the fields
		if (reason === 'publish') cache.fields.clear();
		return { parameters, account };
	} catch (cause) {
		const error = asNodeError(n8n.getNode(), cause);
		if (reason !== 'schedule') throw error;
		cache.failures.record({ kind: 'parameters' }, error);
		const reported = cache.failures.takeReport([error]);
		if (reported !== undefined) throw reported;
		n8n.logger.warn(`The forms cannot be polled: ${error.message}`);
		return undefined;
	}
}

/** What has failed with other parameters may work now, and the parameters say how fields are named. */
function clearOutdatedCache(cache: TriggerCache, configKey: string): void {
	if (configKey === cache.configKey) return;
	cache.configKey = configKey;
	cache.failures.clearAll();
	cache.fields.clear();
	// the forms of another account have other names
	cache.names.byId.clear();
	cache.names.fetchedAtMs = -Infinity;
}

/** Shares of a poll's time in which pages are requested, requests wait in the queue, and replies are read. */
const REQUEST_SHARE = 0.6;
const QUEUE_SHARE = 0.75;
const READ_SHARE = 0.8;

/** Creates the context of a poll that continues from what n8n has kept. */
export function createPollContext(
	n8n: IPollFunctions,
	cache: TriggerCache,
	reason: PollReason,
	{ parameters, account }: Config,
): PollContext {
	const startedAtMs = clock.now();
	const timeMs = Math.min(getTimeBudgetMs(n8n), DEFAULT_BUDGET_MS);
	const state = loadState(readSavedState(n8n), cache.states, computeServiceId(account.baseUrl));
	const lastPollAtMs = cache.budgetClaim?.polledAtMs;
	cache.budgetClaim = createBudgetClaim(account, parameters, state.forms, startedAtMs);
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
		state,
		cache,
		intervalMs: computeIntervalMs(collectBudgetClaims(), cache.budgetClaim),
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

/** Whether a subject waits after a failure. A person who publishes the workflow waits for nothing. */
export function isBackingOff({ cache, reason }: PollContext, subject: Subject): boolean {
	return reason === 'schedule' && cache.failures.isWaiting(subject);
}
