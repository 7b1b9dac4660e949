import type { IDataObject, NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { FormField } from '../api/answers/fields';
import type { PagePosition } from '../api/replies/list';
import { computeSpacingMs, DAY_MS, NO_COST, NO_RATE } from './schedule';
import type { Cost, Rate, Sharer } from './schedule';
import type { StateMemory } from './state';

/** What a poll or a failure is about: one form, the list of all forms, or the account as a whole. */
export type Subject = { kind: 'form'; id: string } | { kind: 'forms' } | { kind: 'account' };

/** How the readings of a subject have failed lately. */
export type Failures = {
	/** Polls that have failed since the last good one. */
	readonly count: number;
	/** Whole readings that have failed since the last good one, whatever short ones did meanwhile. */
	readonly wholeCount: number;
	/** When the last failed poll began. */
	readonly startedAtMs: number;
	/** The service asked for no request before this time. A good poll does not end this wait. */
	readonly waitUntilMs: number;
	/** When the error was last reported. */
	readonly reportedAtMs: number;
};

export const NO_FAILURES: Failures = {
	count: 0,
	wholeCount: 0,
	startedAtMs: -Infinity,
	waitUntilMs: -Infinity,
	reportedAtMs: -Infinity,
};

/** The work in hand: a whole reading that goes on with a later poll, what it has read, and where it goes on. */
export type Unfinished = { readonly records: readonly IDataObject[]; readonly next: PagePosition };

/**
 * The order of a list of several pages: new responses are on the first or last pages, from this page on.
 * Without one, they are on the first page and those after it.
 */
export type Order = { newest: 'first' | 'last'; start?: PagePosition };

/** What can fail. */
export type Failing = { readonly subject: Subject; failures: Failures };

/** What the process remembers of a list that it reads: the responses of one form, or all forms. */
export type ListMemory = Failing & {
	/** Its part in the requests of the account; undefined before its first poll. */
	share?: Sharer;
	/** What its readings have cost. */
	cost: Cost;
};

/** What the process remembers of one form of a trigger. */
export type FormMemory = ListMemory & {
	readonly id: string;
	/** Undefined if the list has no order, or if it is to be read whole next. */
	order?: Order;
	/** What short readings have cost, which are also part of the cost of all. */
	shortCost: Cost;
	/** Whether this process has read the whole list. */
	isRead: boolean;
	unfinished?: Unfinished;
	/** Responses that were found and wait for room, their fields or a file, oldest first. */
	waiting: readonly IDataObject[];
	rate: Rate;
	/** The turns of its last reading and its last delivery: the lowest number comes first. */
	readTurn: number;
	deliveryTurn: number;
	/** Its fields as they were last read, and when that was last tried. */
	fields?: {
		fields: readonly FormField[];
		triedAtMs: number;
		/** Some answers belong to no field, although the fields were read again for them. */
		isUnmatched: boolean;
	};
};

/** A form in the list of all forms. */
export type ListedForm = { id: string; name: string; record: IDataObject };

/** What the process remembers of the list of all forms. */
type FormListMemory = ListMemory & {
	forms?: readonly ListedForm[];
	/** Whether these are all forms. */
	isWhole: boolean;
	/** When they were read, in epoch milliseconds. */
	readAtMs: number;
	/** Requests that it takes to read the list. */
	pages: number;
	/** When it was last read for a name, or that was tried. */
	namedAtMs: number;
};

/** An error that the next poll without items reports, and what it is about. */
type PendingError = { subject: Subject; error: NodeApiError | NodeOperationError };

/** What the process remembers of one trigger. All of it can be lost at any time: the static data counts. */
export type TriggerMemory = StateMemory & {
	nodeName: string;
	/** The account and events that the rest belongs to: with others, everything starts anew. */
	accountKey?: string;
	events?: string;
	/** The forms that are watched and the conditions, as text. */
	watched?: string;
	/** By ID. */
	forms: Map<string, FormMemory>;
	list: FormListMemory;
	/** Failures that are the same whichever form is polled. */
	account: Failing;
	/** Polls whose parameters or credential could not be used. */
	input: Pick<Failing, 'failures'>;
	turns: number;
	/** How far the service's clock is ahead of this machine's, at most; undefined before the first reply. */
	clockOffsetMs?: number;
	/** The poll that is under way; resolves when it has ended, well or not. */
	polling?: Promise<void>;
	pendingError?: PendingError;
};

/** What is remembered of a form before its first poll. */
export function createFormMemory(id: string): FormMemory {
	const list = createListMemory({ kind: 'form', id });
	const begun = { isRead: false, waiting: [], rate: NO_RATE, readTurn: 0, deliveryTurn: 0 };
	return { ...list, id, shortCost: NO_COST, ...begun };
}

function createListMemory(subject: Subject): ListMemory {
	return { subject, cost: NO_COST, failures: NO_FAILURES };
}

function createProgress() {
	return {
		forms: new Map<string, FormMemory>(),
		list: {
			...createListMemory({ kind: 'forms' }),
			...{ forms: undefined, isWhole: false, readAtMs: 0, pages: 1, namedAtMs: -Infinity },
		},
		account: { subject: { kind: 'account' as const }, failures: NO_FAILURES },
		turns: 0,
		pendingError: undefined,
	};
}

/** The most triggers that are remembered. Beyond it, the one that was not polled for longest is forgotten. */
const MAX_TRIGGERS = 1_000;

const triggers = new Map<string, TriggerMemory>();

/**
 * What is remembered of a trigger.
 *
 * @param key the workflow and node, whatever their names
 * @param nodeName n8n's default mode keeps the static data by this name: a renamed node has none, and must
 * not continue from what the old one left
 */
export function recallTrigger(key: string, nodeName: string): TriggerMemory {
	const known = triggers.get(key) ?? {
		nodeName,
		input: { failures: NO_FAILURES },
		...createProgress(),
	};
	// the last in the map is the one that was polled last
	triggers.delete(key);
	triggers.set(key, known);
	const [oldest] = triggers.keys();
	if (triggers.size > MAX_TRIGGERS) triggers.delete(oldest);
	if (known.nodeName !== nodeName) Object.assign(known, { nodeName, last: undefined });
	return known;
}

/**
 * Forgets a trigger that could not be activated: the next attempt is a first one.
 *
 * @param last what was remembered of its state before
 */
export function forgetTrigger(memory: TriggerMemory, last: StateMemory['last']): void {
	Object.assign(memory, createProgress(), { last, watched: undefined });
}

/** Forgets what does not belong to the node's parameters any more. */
export function forgetOutdated(
	memory: TriggerMemory,
	accountKey: string,
	events: string,
	watched: string,
): void {
	if (memory.accountKey !== accountKey || memory.events !== events) {
		Object.assign(memory, createProgress(), { accountKey, events });
	}
	if (memory.watched === watched) return;
	// an error about other forms is out of date, and responses wait that other conditions have chosen
	Object.assign(memory, { watched, pendingError: undefined });
	dropReadings(memory);
}

/** Drops what was read and not yet delivered. The next reading, which is a whole one, finds it again. */
export function dropReadings({ forms }: TriggerMemory): void {
	for (const form of forms.values()) {
		if (form.waiting.length === 0 && form.unfinished === undefined) continue;
		Object.assign(form, { waiting: [], unfinished: undefined, order: undefined });
	}
}

/** Takes note that n8n has polled the trigger, so that the list takes part in the account's requests. */
export function registerPoll(
	list: ListMemory,
	share: Omit<Sharer, 'intervalMs'>,
	occasion: 'schedule' | 'start' | 'publish',
): void {
	const { polledAtMs } = list.share ?? share;
	// until a trigger is active, the time since its last poll is no interval
	const intervalMs = occasion === 'schedule' ? share.polledAtMs - polledAtMs : 0;
	list.share = { ...share, intervalMs };
}

/** How long each request of a list waits, in milliseconds: all triggers on the account share them. */
export function computeListSpacingMs(
	{ accountKey }: TriggerMemory,
	{ share }: ListMemory,
	nowMs: number,
): number {
	if (share === undefined) return DAY_MS;
	const sharers = [...triggers.values()]
		.filter((one) => one.accountKey === accountKey)
		.flatMap(({ list, forms }) => [list, ...forms.values()])
		.flatMap((list) => list.share ?? []);
	return computeSpacingMs(sharers, share, nowMs);
}
