import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import type { Account } from '../api/account';
import { clock } from '../api/clock';
import type { RequestContext } from '../api/requestContext';
import type { NodeError } from '../api/errors';
import type { TriggerCache } from './triggerCache';
import { computeWeight, MINUTE_MS } from './requestBudget';
import type { TriggerParameters } from './triggerParameters';
import { computeServiceId, loadState, type FormState, type TriggerState } from './triggerState';

/** Why n8n polls: its schedule says so, n8n starts, or a person publishes the workflow. */
export type PollReason = 'schedule' | 'start' | 'publish';

/** One poll of n8n: what it is given, and what it has come to so far. */
export type Poll = {
	readonly request: RequestContext;
	readonly memory: TriggerCache;
	readonly parameters: TriggerParameters;
	readonly occasion: PollReason;
	readonly staticData: IDataObject;
	readonly times: PollTimes;
	/** When n8n polled before, in epoch milliseconds; undefined on the first poll of the process. */
	readonly lastPollAtMs?: number;
	/** What the poll begins with. */
	readonly state: TriggerState;
	/** How long a list of weight 1 waits for each of its requests, in milliseconds. */
	spacingMs: number;
	/** What is known of the forms, by ID: the next state. */
	readonly forms: Map<string, FormState>;
	/** See `State`. */
	listedSinceMs?: number;
	readonly items: OutputItem[];
	/** Why something could not be read, see `noteFailure`. */
	readonly errors: NodeError[];
	/** Whether a list was read. */
	hasRead: boolean;
	/** Nothing more is sent: the account or the service has failed. */
	isStopped: boolean;
};

/** An item and the record that it was made of. */
export type OutputItem = { record: IDataObject; item: INodeExecutionData };

/** The times of a poll: epoch milliseconds, and signals that abort then. */
export type PollTimes = Readonly<{
	startedAtMs: number;
	/** No further page is requested. */
	readUntilMs: number;
	/** Replies that have not come are abandoned, and no further item is begun. */
	readingEnds: AbortSignal;
	/** Files that have not come are abandoned. */
	pollEnds: AbortSignal;
}>;

const contexts = new WeakSet<IPollFunctions>();

/**
 * Why n8n polls. An activation brings a new context, and polls with it once before the first scheduled
 * poll. In durable mode each scheduled poll has a new context too; its time identifies it, which is 36
 * seconds unless n8n is configured otherwise. n8n activates as it starts (`init`) and when another main
 * process takes over (`leadershipChange`); all other activations are a person's.
 */
export function findPollReason(n8n: IPollFunctions): PollReason {
	if (contexts.has(n8n) || readPollTimeMs(n8n) !== DEFAULT_TIME_MS) return 'schedule';
	contexts.add(n8n);
	return ['init', 'leadershipChange'].includes(n8n.getActivationMode()) ? 'start' : 'publish';
}

/** What n8n gives a poll outside of its durable mode, and the limit if n8n does not say. */
const DEFAULT_TIME_MS = 5 * MINUTE_MS;

/** How long this poll may take, in milliseconds (n8n 2.38 and later say so). */
function readPollTimeMs(n8n: IPollFunctions): number {
	const { getPollBudgetMs } = n8n as Partial<IPollFunctions>;
	return typeof getPollBudgetMs === 'function' ? getPollBudgetMs.call(n8n) : DEFAULT_TIME_MS;
}

/**
 * Parts of a poll's time: until then, pages are requested, requests wait in the account's queue, and replies
 * and items are waited for.
 */
const TIME_TO_REQUEST = 0.6;
const TIME_TO_QUEUE = 0.75;
const TIME_TO_READ = 0.8;

/** A poll that begins with what n8n has kept. */
export function createPoll(
	n8n: IPollFunctions,
	memory: TriggerCache,
	occasion: PollReason,
	parameters: TriggerParameters,
	account: Account,
): Poll {
	const startedAtMs = clock.now();
	const timeMs = Math.min(readPollTimeMs(n8n), DEFAULT_TIME_MS);
	const staticData = n8n.getWorkflowStaticData('node');
	const state = loadState(staticData, memory, computeServiceId(account.baseUrl));
	const signal = clock.timeout(timeMs * TIME_TO_QUEUE);
	return {
		// a poll retries nothing: the next poll reads what this one could not
		request: { n8n, account, priority: 'high', retry: false, signal },
		memory,
		parameters,
		occasion,
		staticData,
		times: {
			startedAtMs,
			readUntilMs: startedAtMs + timeMs * TIME_TO_REQUEST,
			readingEnds: clock.timeout(timeMs * TIME_TO_READ),
			pollEnds: clock.timeout(timeMs),
		},
		lastPollAtMs: memory.use?.polledAtMs,
		state,
		spacingMs: 0,
		forms: new Map(state.forms),
		listedSinceMs: state.listedSinceMs,
		items: [],
		errors: [],
		hasRead: false,
		isStopped: false,
	};
}

/** How many more items the poll may deliver. */
export function getCapacity({ parameters, items }: Poll): number {
	return parameters.maxPerPoll - items.length;
}

/**
 * What is known of a form whose responses are watched, from this poll on if they were not before. To be called
 * after a reply, which shows the service's time. After a damage, no existing response is emitted.
 */
export function ensureBaseline(poll: Poll, form: FormState = {}): FormState {
	if (form.known !== undefined || form.baseline !== undefined) return form;
	const { memory, parameters, state, times } = poll;
	const sinceMs = times.startedAtMs + (memory.offsetMs ?? 0);
	const emitSinceMs = state.isDamaged ? undefined : parameters.emitSinceMs;
	return { ...form, baseline: { sinceMs, emitSinceMs } };
}

/** How long a form waits for each of its requests, in milliseconds, whatever this poll has delivered of it. */
export function computeFormIntervalMs({ spacingMs, state, times }: Poll, formId: string): number {
	return spacingMs / computeWeight(state.forms.get(formId)?.deliveredAtMs, times.startedAtMs);
}

/** The IDs of the forms whose responses are watched. */
export function getWatchedFormIds({ parameters: { watch, lists }, forms }: Poll): string[] {
	if (!lists.responses) return [];
	if (watch.kind === 'chosen') return [...watch.formIds];
	const listed = [...forms].filter(([, { left }]) => left === undefined);
	return listed.map(([id]) => id).filter((id) => !watch.except.includes(id));
}
