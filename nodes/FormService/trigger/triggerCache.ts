import type { FormField } from '../api/answers/fields';
import type { NodeError } from '../api/errors';
import type { SeenResponses } from './seenResponses';
import type { RequestDebt, BudgetClaim } from './requestBudget';
import type { StateCache } from './triggerState';

/** What the process remembers of one trigger. All of it can be lost at any time: the static data counts. */
export type TriggerCache = StateCache & {
	/** The account and the parameters that the failures belong to. */
	owner?: string;
	/** By what has failed, see `failures`. */
	failures: Map<string, FailureStreak>;
	/** When an error was last reported, in epoch milliseconds. */
	reportedAtMs: number;
	/** What the trigger needs of its account's requests; undefined before its first poll. */
	use?: BudgetClaim;
	isPolling: boolean;
	/** The pace of the list of all forms. */
	formList?: RequestDebt;
	/** The names of forms, by ID, and when the list was last read for a name, in epoch milliseconds. */
	names: Map<string, string>;
	namedAtMs: number;
	/** The fields of forms, by ID. */
	fields: Map<string, CachedFields>;
	/** What the texts of forms say, by ID: a poll decodes no text that an earlier poll has written or decoded. */
	decoded: Map<string, { text: string; known: SeenResponses }>;
	/** How far the service's clock is ahead, in milliseconds; undefined before its first reply. */
	offsetMs?: number;
};

/** Failures in a row of one thing: the account, the list of forms, or a reading of one form. */
export type FailureStreak = {
	count: number;
	/** The page of the list that failed, counted from 0: with a later page, the count begins anew. */
	page: number;
	/** When the last failure was, in epoch milliseconds. */
	failedAtMs: number;
	/** How long polls wait then, in milliseconds. */
	waitMs: number;
	error: NodeError;
	/** The form that the failure is about. */
	formId?: string;
	isReported?: boolean;
};

/** The fields of a form, when they were read, in epoch milliseconds, and whether they were read again since. */
export type CachedFields = { fields: FormField[]; readAtMs: number; isAgain: boolean };

const triggers = new Map<string, TriggerCache>();

/**
 * What is remembered of a trigger.
 *
 * @param key the workflow and node, with its name: n8n's default mode keeps the static data by the name of
 * the node, and a renamed node must not go on from what the old one left
 */
export function getTriggerCache(key: string): TriggerCache {
	const memory: TriggerCache = triggers.get(key) ?? {
		failures: new Map(),
		reportedAtMs: -Infinity,
		isPolling: false,
		names: new Map(),
		namedAtMs: -Infinity,
		fields: new Map(),
		decoded: new Map(),
	};
	triggers.set(key, memory);
	return memory;
}

/** What all triggers of this process need of the requests of their accounts. */
export function collectBudgetClaims(): BudgetClaim[] {
	return [...triggers.values()].flatMap(({ use }) => use ?? []);
}
