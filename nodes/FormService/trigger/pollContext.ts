import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { getAccount, type Account } from '../api/account';
import { clock, MINUTE_MS } from '../api/clock';
import { toNodeError } from '../api/errors';
import type { RequestContext } from '../api/requestContext';
import {
	Failures,
	computeIntervalMs,
	type BudgetClaim,
	type LastReading,
	type ReadingOutcome,
} from './schedule';
import { readSavedState, readTriggerId } from './staticData';
import {
	getWatchedFormIds,
	readTriggerParameters,
	type TriggerParameters,
} from './triggerParameters';
import {
	computeServiceId,
	loadState,
	NO_MEMORY,
	type KnownForms,
	type LoadedState,
	type StateMemory,
} from './triggerState';

/* What all steps of a poll need, and what the process remembers of a trigger. */

/** What this process keeps for a trigger. If it is lost, the trigger only sends more requests. */
type TriggerCache = {
	isPolling: boolean;
	budgetClaim?: BudgetClaim;
	/** Of the list of all forms. */
	formListReading?: LastReading;
	readonly memory: StateMemory;
	readonly failures: Failures;
	/** How far the service's clock is ahead of this machine's clock. */
	clockOffsetMs: number;
	/** The names of forms by ID, and when the list of forms was last fetched for a name. */
	readonly names: Map<string, string>;
	namesFetchedAtMs: number;
};

const caches = new Map<string, TriggerCache>();

export function getTriggerCache(n8n: IPollFunctions): TriggerCache {
	const key = `${n8n.getWorkflow().id}:${readTriggerId(n8n)}`;
	const cache = caches.get(key) ?? {
		isPolling: false,
		memory: { ...NO_MEMORY },
		failures: new Failures(),
		clockOffsetMs: 0,
		names: new Map(),
		namesFetchedAtMs: -Infinity,
	};
	caches.set(key, cache);
	return cache;
}

/** Why n8n polls: by the schedule, because n8n starts, or because the user has published the workflow. */
type PollReason = 'schedule' | 'start' | 'publish';

const activatedContexts = new WeakSet<IPollFunctions>();

/**
 * Outside durable mode, n8n creates a context for each activation, so the first poll with it belongs to the
 * activation. In durable mode, each scheduled poll gets a new context.
 */
export function takePollReason(n8n: IPollFunctions): PollReason {
	const isDurable = getPollTimeoutMs(n8n) !== REGULAR_TIMEOUT_MS;
	if (activatedContexts.has(n8n) || isDurable) return 'schedule';
	activatedContexts.add(n8n);
	return ['init', 'leadershipChange'].includes(n8n.getActivationMode()) ? 'start' : 'publish';
}

/** What n8n gives a poll outside durable mode. In durable mode, it gives 80 % of a time limit, 36 seconds by default. */
const REGULAR_TIMEOUT_MS = 5 * MINUTE_MS;

/** Only n8n 2.38 and later say how long a poll may take. */
function getPollTimeoutMs(n8n: IPollFunctions): number {
	const { getPollBudgetMs } = n8n as Partial<IPollFunctions>;
	return getPollBudgetMs?.call(n8n) ?? REGULAR_TIMEOUT_MS;
}

/** A step of a poll may change only `cache`, and returns everything else. */
export type PollContext = LoadedState &
	Readonly<{
		/** Its signal aborts when the poll must no longer wait for replies and files. */
		request: RequestContext;
		parameters: TriggerParameters;
		reason: PollReason;
		startedAtMs: number;
		/** From this time on, the poll requests no further page, and no files of a further response. */
		readUntilMs: number;
		cache: TriggerCache;
		/** In this time, the budget pays for one request of each list. */
		intervalMs: number;
	}>;

/** An output item, and the record from which it was created. */
export type OutputItem = { record: IDataObject; item: INodeExecutionData };

/** What a poll has read so far. */
export type PollResult = KnownForms &
	Readonly<{ items: readonly OutputItem[]; outcomes: readonly ReadingOutcome[] }>;

type Config = { parameters: TriggerParameters; account: Account };

/**
 * Reads the parameters and the account. If they are wrong, a scheduled poll returns undefined until the error has
 * to be reported.
 *
 * @throws NodeOperationError that the user must see now
 */
export async function readConfig(
	n8n: IPollFunctions,
	cache: TriggerCache,
	reason: PollReason,
): Promise<Config | undefined> {
	const startedAtMs = clock.now();
	if (reason !== 'schedule') resetWaits(cache);
	try {
		const parameters = readTriggerParameters(n8n);
		const account = await getAccount(n8n);
		cache.failures.clear('parameters');
		return { parameters, account };
	} catch (cause) {
		const error = toNodeError(n8n.getNode(), cause);
		if (reason !== 'schedule') throw error;
		cache.failures.record('parameters', error);
		const reported = cache.failures.takeErrorToReport(startedAtMs, false);
		if (reported !== undefined) throw reported;
		n8n.logger.warn(`The forms cannot be polled: ${error.message}`);
		return undefined;
	}
}

/** What has failed for an earlier account or with other parameters may work now. */
function resetWaits(cache: TriggerCache): void {
	cache.failures.clearAll();
	cache.namesFetchedAtMs = -Infinity;
}

/** The parts of a poll's time in which it requests pages, and waits for replies and files. */
const READ_SHARE = 0.6;
const WAIT_SHARE = 0.9;

const DAMAGED =
	"The trigger's saved state could not be read. Existing responses won't start the workflow.";

/** Creates the context of a poll from what n8n has saved, and claims the trigger's share of the budget. */
export function startPoll(
	n8n: IPollFunctions,
	cache: TriggerCache,
	reason: PollReason,
	{ parameters, account }: Config,
): PollContext {
	const nowMs = clock.now();
	const timeoutMs = Math.min(getPollTimeoutMs(n8n), REGULAR_TIMEOUT_MS);
	const signal = clock.timeout(timeoutMs * WAIT_SHARE);
	const loaded = loadState(readSavedState(n8n), cache.memory, computeServiceId(account.baseUrl));
	if (loaded.isDamaged) n8n.logger.warn(DAMAGED);
	const watched = getWatchedFormIds(parameters, loaded.startState.forms);
	const claim = {
		accountKey: account.key,
		requestsPerDay: parameters.requestsPerDay,
		listCount: Math.max(1, watched.length + Number(parameters.lists.forms)),
		polledAtMs: nowMs,
	};
	cache.budgetClaim = claim;
	const claims = [...caches.values()].flatMap(({ budgetClaim }) => budgetClaim ?? []);
	return {
		...loaded,
		// a poll does not retry, because the next poll reads the same pages
		request: { n8n, account, priority: 'high', retry: false, signal },
		// existing responses may have been delivered before the state was damaged
		parameters: loaded.isDamaged ? { ...parameters, emitExistingSinceMs: undefined } : parameters,
		reason,
		startedAtMs: nowMs,
		readUntilMs: nowMs + timeoutMs * READ_SHARE,
		cache,
		intervalMs: computeIntervalMs(claims, claim),
	};
}
