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
	/** Its name among those that share the requests of the account. */
	readonly sharer: string;
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
export type FormListMemory = ListMemory & {
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
export type PendingError = { subject: Subject; error: NodeApiError | NodeOperationError };

/** What the process remembers of one trigger. All of it can be lost at any time: the static data counts. */
export type TriggerMemory = StateMemory & {
	/** The workflow and node, whatever their names. */
	key: string;
	nodeName: string;
	/** The account and events that the rest belongs to: with others, everything starts anew. */
	accountAndEvents?: string;
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
export function createFormMemory(triggerKey: string, id: string): FormMemory {
	const list = createListMemory(triggerKey, { kind: 'form', id });
	const begun = { isRead: false, waiting: [], rate: NO_RATE, readTurn: 0, deliveryTurn: 0 };
	return { ...list, id, shortCost: NO_COST, ...begun };
}

function createListMemory(triggerKey: string, subject: Subject): ListMemory {
	const sharer = `${triggerKey} ${subject.kind === 'form' ? subject.id : ''}`;
	return { subject, sharer, cost: NO_COST, failures: NO_FAILURES };
}

function createProgress(key: string) {
	return {
		forms: new Map<string, FormMemory>(),
		list: {
			...createListMemory(key, { kind: 'forms' }),
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
		key,
		nodeName,
		input: { failures: NO_FAILURES },
		...createProgress(key),
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
	Object.assign(memory, createProgress(memory.key), { last, watched: undefined });
}

/** Forgets what does not belong to the node's parameters any more. */
export function forgetOutdated(
	memory: TriggerMemory,
	accountAndEvents: string,
	watched: string,
): void {
	if (memory.accountAndEvents !== accountAndEvents) {
		Object.assign(memory, createProgress(memory.key), { accountAndEvents });
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

/** All that share the requests of an account in this process, by the account's key. */
const accounts = new Map<string, Map<string, Sharer>>();

/** Takes note that n8n has polled the trigger, so that the list takes part in the account's requests. */
export function registerPoll(
	accountKey: string,
	{ sharer }: ListMemory,
	share: Omit<Sharer, 'intervalMs'>,
	isScheduled: boolean,
): void {
	const own = accounts.get(accountKey) ?? new Map<string, Sharer>();
	const known = own.get(sharer);
	// until a trigger is active, the time since its last poll is no interval
	const intervalMs = isScheduled && known ? share.polledAtMs - known.polledAtMs : 0;
	own.set(sharer, { ...share, intervalMs });
	accounts.set(accountKey, own);
	if (known === undefined) forgetSharers(share.polledAtMs);
}

/** Forgets what was not polled for a day. */
function forgetSharers(nowMs: number): void {
	for (const [key, sharers] of accounts) {
		for (const [name, { polledAtMs }] of sharers) {
			if (Math.abs(nowMs - polledAtMs) >= DAY_MS) sharers.delete(name);
		}
		if (sharers.size === 0) accounts.delete(key);
	}
}

/** How long each request of a registered sharer waits, in milliseconds. */
export function computeSharerSpacingMs(accountKey: string, sharer: string, nowMs: number): number {
	const sharers = accounts.get(accountKey);
	const own = sharers?.get(sharer);
	if (sharers === undefined || own === undefined) return DAY_MS;
	return computeSpacingMs(sharers.values(), own, nowMs);
}
