import type { IDataObject, IPollFunctions, NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { Version } from '../api/request/request';
import { Budget } from './budget';
import type { Edge } from './edge';
import type { KnownResponses } from './knownResponses';
import { freshSchedule, noRate } from './schedule';
import type { Rate, Schedule } from './schedule';
import type { Restored } from './stateCodec';

/** What the process remembers of one form of a trigger. */
export type FormMemory = {
	schedule: Schedule;
	rate: Rate;
	/** Responses that the last poll found and had no room for. */
	backlog: IDataObject[];
	/** The last listing, and what was known after it: the same again changes nothing until a time. */
	last?: { version: Version; known: KnownResponses };
	/** The edge of its listing, if the next poll can go by it. */
	paged?: Paged;
	/** Its fields as they were last read, and when that was last tried. */
	fields?: { records: IDataObject[]; triedAt: number };
	/** The number of the poll in which it last had its turn. */
	servedAt: number;
};

/** The edge of a listing, and what was known after it was read: with anything else, it proves nothing. */
export type Paged = { edge: Edge; known: KnownResponses };

/** A form in the list of all forms. */
export type ListedForm = { id: string; name: string; record: IDataObject };

/**
 * What the process remembers of one trigger. All of it can be lost at any time: the static data of
 * n8n is what counts. Times in epoch milliseconds.
 */
export type TriggerMemory = {
	/** What the schedules and the backlog belong to: another account or other events begin anew. */
	owner: string;
	nodeName: string;
	/** The forms that were watched last and the conditions, as text. */
	watched?: string;
	/** By ID. */
	forms: Map<string, FormMemory>;
	/** Of the list of all forms, and that list. */
	listing: FormMemory;
	list?: { forms: ListedForm[]; complete: boolean };
	/** Of what fails whichever form is polled. */
	accountSchedule: Schedule;
	/** The poll that is under way; resolves when it has ended, well or not. */
	poll?: Promise<void>;
	polls: number;
	/** What was last read from the static data. */
	loaded?: { digest: string; restored: Restored };
	/** The state after a row of polls without items, and digests of those that it came from (see `state`). */
	pending?: { from: ReadonlySet<string>; saved: IDataObject };
	/** What the static data was before the poll that delivered last, and when that ended. */
	deliveryInFlight?: { from: string; at: number };
	/** The digest of the state that the last poll left, to which all backlogs belong. */
	backlogOf?: string;
	/** What a person who activated the workflow was told to correct. */
	toCorrect?: { error: unknown; at: number };
	/** An error that is to be reported by the next poll that has no items, and what it is about. */
	toReport?: { error: NodeApiError | NodeOperationError; of: string };
};

export const freshForm = (): FormMemory => ({
	schedule: freshSchedule,
	rate: noRate,
	backlog: [],
	servedAt: 0,
});

const fresh = () => ({
	forms: new Map<string, FormMemory>(),
	listing: freshForm(),
	list: undefined,
	accountSchedule: freshSchedule,
	toCorrect: undefined,
	toReport: undefined,
	polls: 0,
});

/** Triggers that are remembered: those beyond it, the longest without a tick, are taken for removed. */
const MAX_TRIGGERS = 1_000;

/** What the process remembers of all triggers. */
export class Memory {
	private readonly triggers = new Map<string, TriggerMemory>();
	private readonly budgets = new Map<string, Budget>();
	private readonly contexts = new WeakSet<IPollFunctions>();

	/**
	 * @param key the workflow and node, whatever their names
	 * @param nodeName under which n8n's default mode keeps the static data: that of a new name is empty,
	 * which is not the empty one that `pending` came from
	 */
	trigger(key: string, owner: string, nodeName: string): TriggerMemory {
		const known = this.triggers.get(key) ?? { owner, nodeName, ...fresh() };
		// the last in the map is the one that had a tick last
		this.triggers.delete(key);
		this.triggers.set(key, known);
		const [oldest] = this.triggers.keys();
		if (this.triggers.size > MAX_TRIGGERS) this.triggers.delete(oldest);
		if (known.owner !== owner) Object.assign(known, { owner, ...fresh() });
		if (known.nodeName !== nodeName) Object.assign(known, { nodeName, pending: undefined });
		return known;
	}

	/** @param account see `Account.key` */
	budget(account: string): Budget {
		const budget = this.budgets.get(account) ?? new Budget();
		this.budgets.set(account, budget);
		return budget;
	}

	/** Whether n8n polls with this context for the first time: each activation brings a new one. */
	isNew(n8n: IPollFunctions): boolean {
		if (this.contexts.has(n8n)) return false;
		this.contexts.add(n8n);
		return true;
	}
}
