import type { IDataObject, NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { FormField } from '../api/answers/fields';
import type { PagePosition } from '../api/replies/list';
import type { Version } from '../api/request/request';
import type { KnownResponses } from './knownResponses';
import { RequestAllowance } from './requestAllowance';
import { freshSchedule, noRate } from './schedule';
import type { Rate, Schedule } from './schedule';
import type { StateMemory } from './state';

/** What the process remembers of one form of a trigger, or of the list of all forms. */
export type FormMemory = {
	/** Its name in the account's allowance: the trigger and the form's ID. */
	sharer: string;
	schedule: Schedule;
	failures: Failures;
	rate: Rate;
	/** The number of its last turn: the form with the lowest number comes first. */
	turn: number;
	lastPoll?: LastPoll;
	/** Its fields as they were last read, and when that was last tried. */
	fields?: {
		fields: readonly FormField[];
		triedAt: number;
		/** Some answers belong to no field, although the fields were read again for them. */
		isUnmatched: boolean;
	};
};

/** What the last poll of a form has left. It is used only together with the state object of that poll. */
export type LastPoll = {
	known: KnownResponses;
	/** Responses that the poll found and had no room for, as many as the next polls can deliver. */
	backlog: readonly IDataObject[];
	/** The version of the listing, unless responses of it wait to be delivered. */
	version?: Version;
	/** When the listing was last sent in full, not as unchanged. */
	versionAt: number;
	/** How the listing is ordered, if a part of it is enough for most polls. */
	order?: Order;
};

/** The order of a listing of several pages. */
export type Order = {
	newest: 'first' | 'last';
	/** The last page, to begin with where the newest responses are last. */
	lastPage?: PagePosition;
	/** A short reading did not fit the order: the whole listing has to be read. */
	isDoubtful: boolean;
};

/** The order after something did not fit: short readings go on, and the whole listing is read soon. */
export function inDoubt(order: Order | undefined): Order | undefined {
	return order && { ...order, isDoubtful: true };
}

/** The last poll without its backlog, whose responses the next reading finds again. */
export function withoutBacklog(lastPoll: LastPoll | undefined): LastPoll | undefined {
	if (lastPoll === undefined || lastPoll.backlog.length === 0) return lastPoll;
	return { ...lastPoll, backlog: [], order: inDoubt(lastPoll.order) };
}

/** A form in the list of all forms. */
export type ListedForm = { id: string; name: string; record: IDataObject };

/** How the polls of one form, or all requests of an account, have failed lately. Times in epoch milliseconds. */
export type Failures = {
	/** Polls that have failed since the last good one. */
	readonly count: number;
	/** Whole readings that have failed since the last good one, whatever short ones did meanwhile. */
	readonly wholeCount: number;
	/** When the last failed poll began. */
	readonly startedAt: number;
	/** The service asked for no request before this time. A good poll does not end this wait. */
	readonly waitUntil: number;
	/** When the error was last reported. */
	readonly reportedAt?: number;
};

export const noFailures: Failures = {
	count: 0,
	wholeCount: 0,
	startedAt: -Infinity,
	waitUntil: -Infinity,
};

/** What the process remembers of one trigger. All of it can be lost at any time: the static data counts. */
export type TriggerMemory = StateMemory & {
	/** The workflow and node, whatever their names. */
	key: string;
	nodeName: string;
	/** The account, service and events that the rest belongs to: with others, everything starts anew. */
	owner?: string;
	/** The forms that were watched last and the conditions, as text. */
	watched?: string;
	/** By ID. */
	forms: Map<string, FormMemory>;
	list: FormMemory & { forms?: readonly ListedForm[]; isWhole?: boolean };
	/** Failures that are the same whichever form is polled. */
	account: Failures;
	/** Polls whose parameters or credential could not be used. */
	unusable: Failures;
	turns: number;
	/** How far the service's clock is ahead of this machine's, at most, in milliseconds. */
	clockOffset: number;
	/** The poll that is under way; resolves when it has ended, well or not. */
	underWay?: Promise<void>;
	/** The error of the last activation, if a person has to correct something. */
	toCorrect?: { error: NodeApiError | NodeOperationError; at: number };
	/** An error that the next poll without items reports, and what it is about. */
	toReport?: { error: NodeApiError | NodeOperationError; about: string };
};

/** In place of a form's ID: the list of all forms. */
export const LIST = '';

/**
 * What is remembered of a form before its first poll.
 *
 * @param key the trigger's
 * @param about the form's ID, or LIST
 */
export function freshForm(key: string, about: string): FormMemory {
	const sharer = `${key} ${about}`;
	return { sharer, schedule: freshSchedule, failures: noFailures, rate: noRate, turn: 0 };
}

const fresh = (key: string) => ({
	key,
	forms: new Map<string, FormMemory>(),
	list: freshForm(key, LIST),
	account: noFailures,
	turns: 0,
	toCorrect: undefined,
	toReport: undefined,
});

/** The most triggers that are remembered. Beyond it, the one that was not polled for longest is forgotten. */
const MAX_TRIGGERS = 1_000;

const triggers = new Map<string, TriggerMemory>();
const allowances = new Map<string, RequestAllowance>();

/**
 * What is remembered of a trigger.
 *
 * @param key the workflow and node, whatever their names
 * @param nodeName n8n's default mode keeps the static data by this name: a renamed node has none, and must
 * not continue from what the old one left unsaved
 */
export function memoryOf(key: string, nodeName: string): TriggerMemory {
	const known = triggers.get(key) ?? {
		...fresh(key),
		nodeName,
		clockOffset: 0,
		unusable: noFailures,
	};
	// the last in the map is the one that was polled last
	triggers.delete(key);
	triggers.set(key, known);
	const [oldest] = triggers.keys();
	if (triggers.size > MAX_TRIGGERS) triggers.delete(oldest);
	if (known.nodeName !== nodeName) {
		Object.assign(known, { nodeName, unsaved: undefined, delivery: undefined });
	}
	return known;
}

/**
 * Forgets what does not belong to the node's parameters any more.
 *
 * @param owner the account, service and events
 * @param watched the forms and conditions
 */
export function takeChange(memory: TriggerMemory, owner: string, watched: string): void {
	if (memory.owner !== owner) Object.assign(memory, fresh(memory.key), { owner });
	if (memory.watched === watched) return;
	// an error about other forms is out of date, and a backlog was chosen by other conditions
	Object.assign(memory, { watched, toCorrect: undefined, toReport: undefined });
	for (const form of memory.forms.values()) form.lastPoll = withoutBacklog(form.lastPoll);
}

/** The requests of an account. */
export function allowanceOf(accountKey: string, now: number): RequestAllowance {
	for (const [key, allowance] of allowances) {
		if (key !== accountKey && allowance.isUnused(now)) allowances.delete(key);
	}
	const allowance = allowances.get(accountKey) ?? new RequestAllowance();
	allowances.set(accountKey, allowance);
	return allowance;
}
