import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import type { Account } from '../api/account';
import { clock } from '../api/clock';
import { chosenForms, initialState, watchedIds } from './formList';
import type { Beginning } from './formList';
import { allowanceOf, freshForm, isNewContext, withoutBacklog } from './memory';
import type { FormMemory, Order, TriggerMemory } from './memory';
import type { Parameters } from './parameters';
import type { RequestScope } from './reading';
import { MINUTE_MS } from './schedule';
import { loadState } from './state';
import type { Outcome } from './state';
import type { FormState, Restored } from './stateCodec';

/** Why n8n polls: its schedule says so, n8n starts, or a person publishes the workflow. */
export type Occasion = 'schedule' | 'start' | 'publish';

/** One poll of n8n: what it continues from, and what it has got so far. */
export type PollRun = RequestScope & {
	parameters: Parameters;
	occasion: Occasion;
	/** The workflow and node, whatever their names. */
	key: string;
	/** The base URL as a short name. */
	service: string;
	startedAt: number;
	/** What was known before, of whichever service. */
	base: Restored;
	/** What is known of the forms with the items of this poll, and without them: n8n may discard them. */
	forms: Map<string, FormState>;
	formsIfDiscarded: Map<string, FormState>;
	/** Forms with items. */
	delivering: Set<string>;
	/** When the list of all forms was first read, in epoch milliseconds of the service. */
	listedSince: number | undefined;
	items: Array<{ record: IDataObject; item: INodeExecutionData }>;
	/** Whether a request has been sent, or was about to be. */
	hasBegun: boolean;
	/** Whether anything has gone well, so that there is a state to save. */
	hasResult: boolean;
	hasFailed: boolean;
	/** Whether nothing more is to be sent. */
	isStopped: boolean;
	/** Forms in a row that the service could not give. */
	failedInARow: number;
};

/** In place of a form's ID: the list of all forms. */
export const LIST = '';

/** A listing that a poll reads: the responses of a form, or the list of all forms. */
export type Listing = {
	/** The form's ID, or LIST. */
	about: string;
	memory: FormMemory;
	/** Nothing is known of it yet. */
	isFirst: boolean;
	/** How it is ordered, if a part of it is enough for most polls. */
	order?: Order;
	/** Responses may be completed where a short reading does not see it. */
	hasIncomplete?: boolean;
	/** A person waits to learn whether the conditions fit the form. */
	isToCheck?: boolean;
};

/** Whether another form than this one is watched and has been read before. */
export function watchesOther({ parameters, forms }: PollRun, about: string): boolean {
	return watchedIds(parameters.watch, forms).some(
		(id) => id !== about && forms.get(id)?.known !== undefined,
	);
}

/** The name of a form of this trigger in the account's allowance. */
export function sharerKey({ key }: PollRun, about: string): string {
	return `${key} ${about}`;
}

/** Trouble with one form says nothing about another, nor does a backlog fit other conditions. */
export function takeChange(memory: TriggerMemory, { watch, conditions }: Parameters): void {
	const watched = JSON.stringify([watch, conditions]);
	if (memory.watched === watched) return;
	const isChosen = (id: string) => watch.kind === 'all' || watch.formIds.includes(id);
	const forms = [...memory.forms].filter(([id]) => isChosen(id));
	for (const [, form] of forms) form.lastPoll = withoutBacklog(form.lastPoll);
	Object.assign(memory, { watched, toCorrect: undefined, toReport: undefined });
	memory.forms = new Map(forms);
}

/** Whether there is a state of some of the forms to continue from. */
export function isWatching(
	memory: TriggerMemory,
	staticData: IDataObject,
	{ watch }: Parameters,
	service: string,
): boolean {
	const restored = loadState(staticData, memory);
	if (restored.kind !== 'state' || restored.state.service !== service) return false;
	const { forms, listedSince } = restored.state;
	const isListed = watch.kind === 'all' && listedSince !== undefined;
	return isListed || watchedIds(watch, forms).some((id) => forms.get(id)?.known !== undefined);
}

/** The part of a poll's time in which forms, pages and files are begun; the rest is for them to end. */
const TIME_TO_BEGIN = 0.6;

/** The part after which a request that still waits in the account's queue is not sent any more. */
const TIME_TO_SEND = 0.95;

type Given = {
	key: string;
	memory: TriggerMemory;
	occasion: Occasion;
	parameters: Parameters;
	account: Account;
	staticData: IDataObject;
	service: string;
};

export function beginRun(n8n: IPollFunctions, given: Given): PollRun {
	const { key, memory, occasion, parameters, account, staticData, service } = given;
	const startedAt = clock.now();
	const timeMs = pollTimeMs(n8n);
	const base = loadState(staticData, memory);
	const isSame = base.kind === 'state' && base.state.service === service;
	const known = isSame ? base.state.forms : new Map<string, FormState>();
	const { watch } = parameters;
	const forms = new Map(watch.kind === 'all' ? known : chosenForms(known, watch.formIds));
	// a trigger on created forms alone reads no responses: what comes meanwhile is not known
	if (!watchesResponses(parameters)) {
		for (const [id, { missingSince }] of forms) forms.set(id, { missingSince });
	}
	// nothing is sent again within a poll: the next poll makes up for it
	const signal = clock.timeout(timeMs * TIME_TO_SEND);
	return {
		context: { n8n, account, urgency: 'prompt', retry: false, signal },
		key,
		service,
		memory,
		occasion,
		parameters,
		allowance: allowanceOf(account.key, startedAt),
		startedAt,
		until: startedAt + timeMs * TIME_TO_BEGIN,
		timeUp: clock.timeout(timeMs),
		base,
		forms,
		formsIfDiscarded: new Map(forms),
		delivering: new Set(),
		listedSince: isSame && watch.kind === 'all' ? base.state.listedSince : undefined,
		items: [],
		requests: 0,
		hasBegun: false,
		hasResult: false,
		hasFailed: false,
		isStopped: false,
		failedInARow: 0,
	};
}

export function watchesResponses({ events }: Parameters): boolean {
	return events.some((event) => event !== 'formCreated');
}

export function formMemoryOf({ memory }: PollRun, id: string): FormMemory {
	const known = memory.forms.get(id) ?? freshForm();
	memory.forms.set(id, known);
	return known;
}

/** n8n has polled: the form takes part in the division of the day's requests. */
export function share(run: PollRun, about: string, weight: number, most?: number): void {
	const { allowance, parameters, occasion, startedAt } = run;
	const { requestsPerDay } = parameters;
	const isScheduled = occasion === 'schedule';
	allowance.polled(sharerKey(run, about), { requestsPerDay, weight, most, isScheduled }, startedAt);
}

/** How the trigger begins with forms that it has not read yet. */
export function beginningOf(run: PollRun): Beginning {
	const { parameters, base } = run;
	if (!watchesResponses(parameters)) return { isFromNothing: false };
	const isFromNothing = parameters.emitExisting && base.kind !== 'damaged';
	return { isFromNothing, since: serviceTime(run) };
}

/** What is known of a form, also of one that is new to the trigger. */
export function stateOf(run: PollRun, id: string): FormState {
	return run.forms.get(id) ?? initialState(beginningOf(run));
}

/** @param hasItems whether the state depends on items of this poll, which n8n may discard */
export function commit(run: PollRun, id: string, state: FormState, hasItems: boolean): void {
	run.hasResult = true;
	if (hasItems) run.delivering.add(id);
	run.forms.set(id, state);
	if (!run.delivering.has(id)) run.formsIfDiscarded.set(id, state);
}

/**
 * The service's time when the poll began, at most, in epoch milliseconds: what was created then or later is
 * new, whatever this machine's clock says. Its times are often cut off to seconds.
 */
export function serviceTime({ startedAt, memory }: PollRun): number {
	return Math.ceil((startedAt + memory.clockOffset) / 1_000) * 1_000;
}

/** What is known after the poll. */
export function outcomeOf(run: PollRun): Outcome {
	const { service, listedSince, forms, base } = run;
	const formsIfDiscarded = run.items.length > 0 ? run.formsIfDiscarded : undefined;
	return { service, listedSince, forms, formsIfDiscarded, base, now: clock.now() };
}

/** What n8n gives a poll outside of its durable mode, and what is kept to if n8n does not say. */
const DEFAULT_TIME_MS = 5 * MINUTE_MS;

/** How long this poll may take, in milliseconds (n8n 2.38 and later say so). */
function pollTimeMs(n8n: IPollFunctions): number {
	return Math.min(givenTimeMs(n8n), DEFAULT_TIME_MS);
}

function givenTimeMs(n8n: IPollFunctions): number {
	const { getPollBudgetMs } = n8n as Partial<IPollFunctions>;
	return typeof getPollBudgetMs === 'function' ? getPollBudgetMs.call(n8n) : DEFAULT_TIME_MS;
}

/**
 * Why n8n polls. An activation brings a new context, and polls with it once before the first scheduled
 * poll. In durable mode each scheduled poll has a new context too; its time identifies it, which is 36
 * seconds unless n8n is configured otherwise. n8n activates as it starts (`init`) and when another main
 * process takes over (`leadershipChange`); all other activations are a person's.
 */
export function occasionOf(n8n: IPollFunctions): Occasion {
	const isNew = isNewContext(n8n);
	if (!isNew || givenTimeMs(n8n) !== DEFAULT_TIME_MS) return 'schedule';
	return ['init', 'leadershipChange'].includes(n8n.getActivationMode()) ? 'start' : 'publish';
}
