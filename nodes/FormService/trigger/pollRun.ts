import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import type { Account } from '../api/account';
import { clock } from '../api/clock';
import type { RequestContext } from '../api/requestContext';
import { KnownResponses, shortNameOf } from './knownResponses';
import { allowanceOf } from './memory';
import type { FormMemory, Order, TriggerMemory } from './memory';
import type { Parameters } from './parameters';
import type { RequestAllowance } from './requestAllowance';
import { MINUTE_MS } from './schedule';
import { loadState } from './state';
import type { FormState, Restored } from './stateCodec';

/** Why n8n polls: its schedule says so, n8n starts, or a person publishes the workflow. */
export type Occasion = 'schedule' | 'start' | 'publish';

/** One poll of n8n: what it continues from, and what it has got so far. */
export type PollRun = {
	context: RequestContext;
	allowance: RequestAllowance;
	memory: TriggerMemory;
	parameters: Parameters;
	occasion: Occasion;
	staticData: IDataObject;
	/** The base URL as a short name. */
	service: string;
	startedAt: number;
	/** After this time, no further form, page or file is begun. Epoch milliseconds. */
	until: number;
	/** Aborts when the time of the poll is up: what has not been answered by then is abandoned. */
	timeUp: AbortSignal;
	/** What was known before, of whichever service. */
	base: Restored;
	/** What is known of the forms with the items of this poll, and without them: n8n may discard them. */
	forms: Map<string, FormState>;
	formsIfDiscarded: Map<string, FormState>;
	/** When the list of all forms was first read, in epoch milliseconds of the service. */
	listedSince: number | undefined;
	/** In the order of each form, with the time up to which the form's items are submitted. */
	items: Array<{ at: number; item: INodeExecutionData }>;
	/** Requests sent so far. */
	requests: number;
	/** Whether anything has gone well, so that there is a state to save. */
	hasResult: boolean;
	hasFailed: boolean;
	/** Whether nothing more is to be sent. */
	isStopped: boolean;
	/** Forms in a row that the service could not give. */
	failedInARow: number;
};

/** A listing that a poll reads: the responses of a form, or the list of all forms. */
export type Listing = {
	/** The form's ID, or LIST. */
	about: string;
	memory: FormMemory;
	/** The responses that are known; undefined before the first reading, and for the list of all forms. */
	known?: KnownResponses;
	/** Nothing is known of it yet. */
	isFirst: boolean;
	/** How it is ordered, if a part of it is enough for most polls. */
	order?: Order;
	/** A person waits to learn whether the conditions fit the form. */
	isToCheck?: boolean;
};

const contexts = new WeakSet<IPollFunctions>();

/**
 * Why n8n polls. An activation brings a new context, and polls with it once before the first scheduled
 * poll. In durable mode each scheduled poll has a new context too; its time identifies it, which is 36
 * seconds unless n8n is configured otherwise. n8n activates as it starts (`init`) and when another main
 * process takes over (`leadershipChange`); all other activations are a person's.
 */
export function occasionOf(n8n: IPollFunctions): Occasion {
	const isNew = !contexts.has(n8n);
	contexts.add(n8n);
	if (!isNew || givenTimeMs(n8n) !== DEFAULT_TIME_MS) return 'schedule';
	return ['init', 'leadershipChange'].includes(n8n.getActivationMode()) ? 'start' : 'publish';
}

/** What n8n gives a poll outside of its durable mode, and what is kept to if n8n does not say. */
const DEFAULT_TIME_MS = 5 * MINUTE_MS;

/** How long this poll may take, in milliseconds (n8n 2.38 and later say so). */
function givenTimeMs(n8n: IPollFunctions): number {
	const { getPollBudgetMs } = n8n as Partial<IPollFunctions>;
	return typeof getPollBudgetMs === 'function' ? getPollBudgetMs.call(n8n) : DEFAULT_TIME_MS;
}

/** The part of a poll's time in which forms, pages and files are begun; the rest is for them to end. */
const TIME_TO_BEGIN = 0.6;

/** The part after which a request that still waits in the account's queue is not sent any more. */
const TIME_TO_SEND = 0.95;

/** A poll that continues from what the trigger knows of these forms on this service. */
export function beginRun(
	n8n: IPollFunctions,
	memory: TriggerMemory,
	occasion: Occasion,
	parameters: Parameters,
	account: Account,
): PollRun {
	const startedAt = clock.now();
	const timeMs = Math.min(givenTimeMs(n8n), DEFAULT_TIME_MS);
	const staticData = n8n.getWorkflowStaticData('node');
	const service = shortNameOf(account.baseUrl);
	const base = loadState(staticData, memory);
	const isSame = base.kind === 'state' && base.state.service === service;
	const { watch, watchesResponses } = parameters;
	const forms = new Map<string, FormState>();
	for (const [id, { known, since, missingSince }] of isSame ? base.state.forms : []) {
		// without events of responses, none are read, so the trigger forgets which ones it knows
		if (!watchesResponses) forms.set(id, { missingSince });
		else if (watch.kind === 'all') forms.set(id, { known, since, missingSince });
		else if (watch.formIds.includes(id)) forms.set(id, { known, since });
	}
	// a poll retries nothing: the next poll reads what this one could not
	const signal = clock.timeout(timeMs * TIME_TO_SEND);
	return {
		context: { n8n, account, urgency: 'prompt', retry: false, signal },
		allowance: allowanceOf(account.key, startedAt),
		memory,
		parameters,
		occasion,
		staticData,
		service,
		startedAt,
		until: startedAt + timeMs * TIME_TO_BEGIN,
		timeUp: clock.timeout(timeMs),
		base,
		forms,
		formsIfDiscarded: new Map(forms),
		listedSince: isSame && watch.kind === 'all' ? base.state.listedSince : undefined,
		items: [],
		requests: 0,
		hasResult: false,
		hasFailed: false,
		isStopped: false,
		failedInARow: 0,
	};
}

/** The IDs of the forms that are watched. */
export function watchedIds({ parameters: { watch }, forms }: PollRun): string[] {
	if (watch.kind === 'chosen') return [...new Set(watch.formIds)];
	const except = new Set(watch.except);
	return [...forms]
		.filter(([id, { missingSince }]) => missingSince === undefined && !except.has(id))
		.map(([id]) => id);
}

/** Whether a form that is watched has been read before, other than the one with this ID. */
export function knowsOther(run: PollRun, about: string): boolean {
	return watchedIds(run).some((id) => id !== about && run.forms.get(id)?.known !== undefined);
}

/**
 * What is known of a form before its first reading: no response, so that all are new, or else since when
 * they are new.
 */
export function initialState(run: PollRun): FormState {
	const { parameters, base } = run;
	if (!parameters.watchesResponses) return {};
	const isFromNothing = parameters.emitExisting && base.kind !== 'damaged';
	return isFromNothing ? { known: new KnownResponses(0) } : { since: serviceTime(run) };
}

/**
 * The service's time when the poll began, at most, in epoch milliseconds: what was created then or later is
 * new, whatever this machine's clock says. Its times are often cut off to seconds.
 */
export function serviceTime({ startedAt, memory }: PollRun): number {
	return Math.ceil((startedAt + memory.clockOffset) / 1_000) * 1_000;
}

/** n8n has polled: the listing takes part in the division of the day's requests. */
export function share(run: PollRun, { sharer }: FormMemory, weight: number, most?: number): void {
	const { allowance, parameters, occasion, startedAt } = run;
	const { requestsPerDay } = parameters;
	const isScheduled = occasion === 'schedule';
	allowance.polled(sharer, { requestsPerDay, weight, most, isScheduled }, startedAt);
}

/**
 * Takes note of what is known of a form after this poll.
 *
 * @param hasItems whether the state depends on items of this poll, which n8n may discard
 */
export function commit(run: PollRun, id: string, state: FormState, hasItems: boolean): void {
	// after items of a form, its later states depend on these items too
	const isDelivering = run.forms.get(id) !== run.formsIfDiscarded.get(id);
	run.hasResult = true;
	run.forms.set(id, state);
	if (!hasItems && !isDelivering) run.formsIfDiscarded.set(id, state);
}
