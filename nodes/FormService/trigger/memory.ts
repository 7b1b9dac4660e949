import type { IDataObject, IPollFunctions, NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { FormField } from '../api/answers/fields';
import type { PagePosition } from '../api/replies/list';
import type { Version } from '../api/request/request';
import { noFailures } from './failures';
import type { Failures } from './failures';
import type { ListedForm } from './formList';
import type { KnownResponses } from './knownResponses';
import { RequestAllowance } from './requestAllowance';
import { freshSchedule, HOUR_MS, noRate } from './schedule';
import type { Rate, Schedule } from './schedule';
import type { StateMemory } from './state';

/** What the process remembers of one form of a trigger, or of the list of all forms. */
export type FormMemory = {
	schedule: Schedule;
	failures: Failures;
	rate: Rate;
	/** The number of its last turn: the form with the lowest number comes first. */
	turn: number;
	lastPoll?: LastPoll;
	/** Its fields as they were last read, and when that was last tried. */
	fields?: KnownFields;
};

/** What the last poll of a form has left. It only means something beside the very state that it left. */
export type LastPoll = {
	known: KnownResponses;
	/** Responses that it found and had no room for, as far as the next polls can deliver them. */
	backlog: readonly IDataObject[];
	/** The version of the listing: if it is the same again, nothing has changed until `changesAt`. */
	version?: Version;
	/** When the listing was last sent in full, not as unchanged. */
	versionAt: number;
	changesAt: number;
	/** Responses may be completed where a short reading does not see it. */
	hasIncomplete: boolean;
	/** How the listing is ordered, if a part of it is enough for most polls. */
	order?: Order;
};

/** The same where the backlog cannot be delivered now: the next reading finds its responses again. */
export function withoutBacklog(lastPoll: LastPoll | undefined): LastPoll | undefined {
	if (lastPoll === undefined || lastPoll.backlog.length === 0) return lastPoll;
	return { ...lastPoll, backlog: [], version: undefined, order: inDoubt(lastPoll.order) };
}

/** The version of the listing, if the same again would change nothing. After an hour, an ETag is not trusted. */
export function trustedVersion(lastPoll: LastPoll | undefined, now: number): Version | undefined {
	if (lastPoll === undefined || lastPoll.backlog.length > 0 || now >= lastPoll.changesAt) {
		return undefined;
	}
	const { version, versionAt } = lastPoll;
	return version && (now - versionAt < HOUR_MS ? version : { digest: version.digest });
}

/** An order that the next poll can only use in part: the whole listing is needed. */
export function inDoubt(order: Order | undefined): Order | undefined {
	return order && { ...order, isDoubtful: true };
}

/** The order of a listing of several pages. */
export type Order = {
	newest: 'first' | 'last';
	/** The last page, to begin with where the newest responses are last. */
	lastPage?: PagePosition;
	/** A short reading did not fit it: the whole listing has to be read. */
	isDoubtful: boolean;
};

export type KnownFields = {
	fields: readonly FormField[];
	triedAt: number;
	/** Responses have answers that belong to none of them, although the fields were read for that. */
	isUnmatched: boolean;
};

/** What the process remembers of one trigger. All of it can be lost at any time: the static data counts. */
export type TriggerMemory = StateMemory & {
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
	/** What a person who activated the workflow was told to correct. */
	toCorrect?: { error: NodeApiError | NodeOperationError; at: number };
	/** An error that the next poll without items reports, and what it is about. */
	toReport?: { error: NodeApiError | NodeOperationError; about: string };
};

export const freshForm = (): FormMemory => ({
	schedule: freshSchedule,
	failures: noFailures,
	rate: noRate,
	turn: 0,
});

const fresh = () => ({
	forms: new Map<string, FormMemory>(),
	list: freshForm(),
	account: noFailures,
	turns: 0,
	toCorrect: undefined,
	toReport: undefined,
});

/** The most triggers that are remembered. Beyond it, the one that was not polled for longest is forgotten. */
const MAX_TRIGGERS = 1_000;

const triggers = new Map<string, TriggerMemory>();
const allowances = new Map<string, RequestAllowance>();
const contexts = new WeakSet<IPollFunctions>();

/**
 * What is remembered of a trigger.
 *
 * @param key the workflow and node, whatever their names
 * @param nodeName n8n's default mode keeps the static data by this name: a renamed node has none, and must
 * not continue from what the old one left unsaved
 */
export function memoryOf(key: string, nodeName: string): TriggerMemory {
	const known = triggers.get(key) ?? { nodeName, clockOffset: 0, unusable: noFailures, ...fresh() };
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

/** Forgets what belongs to another account, service or choice of events. */
export function belongTo(memory: TriggerMemory, owner: string): void {
	if (memory.owner !== owner) Object.assign(memory, { ...fresh(), owner });
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

/** Whether n8n polls with this context for the first time: each activation brings a new one. */
export function isNewContext(n8n: IPollFunctions): boolean {
	if (contexts.has(n8n)) return false;
	contexts.add(n8n);
	return true;
}
