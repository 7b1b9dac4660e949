import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { Failure, IDataObject, IPollFunctions } from 'n8n-workflow';
import type { Account } from '../api/account';
import { clock, waitUnlessAborted } from '../api/clock';
import { ServiceError } from '../api/errors';
import type { RequestContext } from '../api/requestContext';
import { computeListSpacingMs } from './memory';
import type { ListMemory, TriggerMemory } from './memory';
import type { Parameters } from './parameters';
import { MINUTE_MS } from './schedule';
import { identifyService, loadState } from './state';
import type { Content, FormState, Restored } from './state';

/** Why n8n polls: its schedule says so, n8n starts, or a person publishes the workflow. */
export type Occasion = 'schedule' | 'start' | 'publish';

/** What one poll of n8n is given. The memory is what the process keeps between polls. */
export type PollInput = Readonly<{
	context: RequestContext;
	memory: TriggerMemory;
	parameters: Parameters;
	occasion: Occasion;
	staticData: IDataObject;
	startedAtMs: number;
	/** After these times, no further form or page is read, and no further item is begun. */
	readUntilMs: number;
	deliverUntilMs: number;
	/** Aborts when the time of the poll is up: what has not been answered by then is abandoned. */
	timeUp: AbortSignal;
	/** What was known before, of whichever service. */
	base: Restored;
	/** The part of it that belongs to this service and these parameters. */
	content: Content;
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

/** Parts of a poll's time: for beginning to read, and to make items; the rest is for them to end. */
const TIME_TO_READ = 0.6;
const TIME_TO_DELIVER = 0.7;

/** The part after which a request that still waits in the account's queue is not sent any more. */
const TIME_TO_SEND = 0.95;

/** A poll that continues from what the trigger knows of these forms on this service. */
export function createPollInput(
	n8n: IPollFunctions,
	memory: TriggerMemory,
	occasion: Occasion,
	parameters: Parameters,
	account: Account,
): PollInput {
	const startedAtMs = clock.now();
	const timeMs = Math.min(readPollTimeMs(n8n), DEFAULT_TIME_MS);
	const staticData = n8n.getWorkflowStaticData('node');
	const base = loadState(staticData, memory);
	// a poll retries nothing: the next poll reads what this one could not
	const signal = clock.timeout(timeMs * TIME_TO_SEND);
	return {
		context: { n8n, account, urgency: 'prompt', retry: false, signal },
		memory,
		parameters,
		occasion,
		staticData,
		startedAtMs,
		readUntilMs: startedAtMs + timeMs * TIME_TO_READ,
		deliverUntilMs: startedAtMs + timeMs * TIME_TO_DELIVER,
		timeUp: clock.timeout(timeMs),
		base,
		content: selectContent(base, parameters, identifyService(account.baseUrl)),
	};
}

/** What is known of the watched forms, if it is of this service. */
function selectContent(
	base: Restored,
	{ watch, watchesResponses }: Parameters,
	service: string,
): Content {
	if (base.kind !== 'state' || base.state.service !== service) return { service, forms: new Map() };
	const { state } = base;
	const forms = new Map<string, FormState>();
	for (const [id, form] of state.forms) {
		const { known, sinceMs, missingSinceDay } = form;
		// without events of responses, none are read, so the trigger forgets which ones it knows
		if (!watchesResponses) forms.set(id, { missingSinceDay });
		else if (watch.kind === 'all') forms.set(id, form);
		else if (watch.formIds.includes(id)) forms.set(id, { known, sinceMs });
	}
	return { service, forms, listedSinceMs: watch.kind === 'all' ? state.listedSinceMs : undefined };
}

/** What is known of a form before its first reading: since when its responses are new. */
export function createInitialState(input: PollInput): FormState {
	const { watchesResponses, emitExisting } = input.parameters;
	if (!watchesResponses) return {};
	if (emitExisting && input.base.kind !== 'damage') return { sinceMs: 0 };
	return { sinceMs: readServiceTimeMs(input) };
}

/**
 * The service's time when the poll began, at most, in epoch milliseconds: what was created then or later
 * is new, whatever this machine's clock says. Its times are often cut off to seconds.
 */
export function readServiceTimeMs({ memory, startedAtMs }: PollInput): number {
	return Math.ceil((startedAtMs + (memory.clockOffsetMs ?? 0)) / 1_000) * 1_000;
}

/** The IDs of the forms that are watched. */
export function listWatchedIds(
	{ watch, watchesResponses }: Parameters,
	forms: ReadonlyMap<string, FormState>,
): string[] {
	if (!watchesResponses) return [];
	if (watch.kind === 'chosen') return [...watch.formIds];
	const except = new Set(watch.except);
	return [...forms]
		.filter(([id, { missingSinceDay }]) => missingSinceDay === undefined && !except.has(id))
		.map(([id]) => id);
}

/** How long each request of a list waits now, in milliseconds. */
export function readSpacingMs({ memory }: PollInput, list: ListMemory): number {
	return computeListSpacingMs(memory, list, clock.now());
}

/** The IDs of the watched forms that have been read. */
export function listKnownIds(parameters: Parameters, { forms }: Pick<Content, 'forms'>): string[] {
	return listWatchedIds(parameters, forms).filter((id) => forms.get(id)?.known !== undefined);
}

/**
 * The outcome of the work, unless the time of the poll is up first: what it waits for then ends by itself.
 *
 * @throws NodeApiError if the time is up
 */
export async function awaitInTime<T>(
	{ n8n }: RequestContext,
	work: Promise<T>,
	timeUp: AbortSignal | undefined,
): Promise<T> {
	return await waitUnlessAborted(
		work,
		timeUp,
		() =>
			new ServiceError(n8n.getNode(), {
				message: "Form Service didn't answer before n8n's poll timeout",
				description: 'The next poll tries again.',
				failure: { cause: 'temporarily-unavailable' },
			}),
	);
}

/** The cause of an error in n8n's terms, empty if it has none. */
export function readCause(error: unknown): string {
	return readFailure(error)?.cause ?? '';
}

/** Why an error came about, in n8n's terms. */
export function readFailure(error: unknown): Failure | undefined {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error.failure;
	return undefined;
}
