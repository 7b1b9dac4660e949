import { omit } from 'lodash';
import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import type { Account } from '../api/account';
import { clock } from '../api/clock';
import type { RequestContext } from '../api/requestContext';
import { MINUTE_MS } from './budget';
import { identifyService } from './knowledge';
import type { Baseline, FormState, Knowledge } from './knowledge';
import type { Parameters } from './parameters';
import type { ReadContext } from './reading';
import { loadState } from './savedState';
import type { LoadedState } from './savedState';
import type { TriggerMemory } from './triggerMemory';

/** What one poll of n8n begins from. */

/** Why n8n polls: its schedule says so, n8n starts, or a person publishes the workflow. */
export type Occasion = 'schedule' | 'start' | 'publish';

/** What one poll of n8n is given. The memory is what the process keeps between polls. */
export type PollContext = Readonly<{
	request: RequestContext;
	memory: TriggerMemory;
	parameters: Parameters;
	occasion: Occasion;
	staticData: IDataObject;
	times: PollTimes;
	/** What was known before, of whichever service. */
	loaded: LoadedState;
	/** The part of it that belongs to this service and these parameters. */
	knowledge: Knowledge;
}>;

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
export function findOccasion(n8n: IPollFunctions): Occasion {
	if (contexts.has(n8n) || readPollTimeMs(n8n) !== DEFAULT_TIME_MS) return 'schedule';
	contexts.add(n8n);
	return ['init', 'leadershipChange'].includes(n8n.getActivationMode()) ? 'start' : 'publish';
}

/** What n8n gives a poll outside of its durable mode, and what is kept to if n8n does not say. */
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

/** A poll that continues from what the trigger knows of these forms on this service. */
export function createPollContext(
	n8n: IPollFunctions,
	memory: TriggerMemory,
	occasion: Occasion,
	parameters: Parameters,
	account: Account,
): PollContext {
	const startedAtMs = clock.now();
	const timeMs = Math.min(readPollTimeMs(n8n), DEFAULT_TIME_MS);
	const staticData = n8n.getWorkflowStaticData('node');
	const service = identifyService(account.baseUrl);
	const loaded = loadState(staticData, memory.states, service);
	const readingEnds = clock.timeout(timeMs * TIME_TO_READ);
	const signal = clock.timeout(timeMs * TIME_TO_QUEUE);
	const { fields: comparesText } = parameters.lists;
	return {
		// a poll retries nothing: the next poll reads what this one could not
		request: { n8n, account, urgency: 'prompt', retry: false, signal, comparesText },
		memory,
		parameters,
		occasion,
		staticData,
		times: {
			startedAtMs,
			readUntilMs: startedAtMs + timeMs * TIME_TO_REQUEST,
			readingEnds,
			pollEnds: clock.timeout(timeMs),
		},
		loaded,
		knowledge: selectKnowledge(loaded, parameters, service),
	};
}

/** What is known of the watched forms, if it is of this service. */
function selectKnowledge(
	loaded: LoadedState,
	{ events, watch, lists }: Parameters,
	service: string,
): Knowledge {
	if (!('state' in loaded) || loaded.state.service !== service) {
		return { service, forms: new Map(), isRepairing: loaded.kind === 'damage' || undefined };
	}
	const { forms: all, listedSinceMs, isListed, isRepairing } = loaded.state;
	const forms = new Map<string, FormState>();
	for (const [id, known] of all) {
		if (watch.kind === 'chosen' && !watch.formIds.includes(id)) continue;
		// a chosen form stays, whether it is listed or not
		const chosen = watch.kind === 'chosen' ? forget(known, 'absence') : known;
		const form = events.includes('formUpdated') ? chosen : forget(chosen, 'attributes');
		// without events of responses, none are read, so the trigger forgets which ones it knows
		forms.set(id, lists.responses ? form : forgetResponses(form));
	}
	return watch.kind === 'all'
		? { service, forms, isRepairing, listedSinceMs, isListed }
		: { service, forms, isRepairing };
}

function forget(form: FormState, name: 'absence' | 'attributes'): FormState {
	return form[name] === undefined ? form : omit(form, name);
}

function forgetResponses(form: FormState): FormState {
	const { known, baseline, ...rest } = form;
	return known === undefined && baseline === undefined ? form : { ...rest, isPaused: true };
}

/** What pages are read with. The service's clock is known better with each reply. */
export function createReadContext({ request, memory, times }: PollContext): ReadContext {
	const { readUntilMs, readingEnds } = times;
	return { request, readUntilMs, timeUp: readingEnds, clockOffsetMs: memory.clockOffsetMs };
}

/** What is new in a form that is watched from this poll on. */
export function createBaseline(context: PollContext): Baseline {
	const { parameters, knowledge } = context;
	const sinceMs = readServiceTimeMs(context);
	return knowledge.isRepairing ? { sinceMs } : { sinceMs, emitSinceMs: parameters.emitSinceMs };
}

/**
 * The service's time when the poll began, at most, in epoch milliseconds: what was created then or later
 * is new, whatever this machine's clock says. Its times are often cut off to seconds.
 */
export function readServiceTimeMs({ memory, times }: PollContext): number {
	return Math.ceil((times.startedAtMs + (memory.clockOffsetMs ?? 0)) / 1_000) * 1_000;
}

/** The IDs of the forms whose responses are watched. */
export function listWatchedIds(
	{ watch, lists }: Parameters,
	forms: ReadonlyMap<string, FormState>,
): string[] {
	if (!lists.responses) return [];
	if (watch.kind === 'chosen') return [...watch.formIds];
	const except = new Set(watch.except);
	return [...forms]
		.filter(([id, { absence, isPaused }]) => !absence && !isPaused && !except.has(id))
		.map(([id]) => id);
}

/** The IDs of the watched forms that have been read. */
export function listKnownIds(
	parameters: Parameters,
	{ forms }: Pick<Knowledge, 'forms'>,
): string[] {
	return listWatchedIds(parameters, forms).filter((id) => forms.get(id)?.known !== undefined);
}
