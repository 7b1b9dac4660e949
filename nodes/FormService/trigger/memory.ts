import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { freshShare } from './allowanceShare';
import type { AllowanceShare } from './allowanceShare';
import { freshSchedule } from './pollSchedule';
import type { Schedule } from './pollSchedule';

/**
 * What the process remembers of one trigger. All of it can be lost at any time: the static data of
 * n8n is what counts.
 */
export type TriggerMemory = {
	/** What the schedule and the backlog belong to: trouble with one form tells nothing of another. */
	owner: string;
	nodeName: string;
	schedule: Schedule;
	/** The look that is under way; resolves when it has ended, well or not. */
	look?: Promise<void>;
	/** The state after a row of looks without events, and digests of those that it came from (see `recall`). */
	unsaved?: { from: ReadonlySet<string>; saved: IDataObject };
	/** What the static data was before the look that delivered last, and when that ended. */
	handedOver?: { from: string; at: number };
	/** What a person who activated the workflow was told to correct. Times in epoch milliseconds. */
	toCorrect?: { error: unknown; at: number };
	/** Responses that the last look found and had no room for, and the state that it left. */
	backlog?: { records: IDataObject[]; state: string };
};

/** Triggers that are remembered: those beyond it, the longest without a tick, are taken for removed. */
const MAX_TRIGGERS = 1_000;

/** What the process remembers of all triggers. */
export class Memory {
	private readonly triggers = new Map<string, TriggerMemory>();
	private readonly accounts = new Map<string, AllowanceShare>();
	private readonly contexts = new WeakSet<IPollFunctions>();
	private looks = 0;

	/**
	 * @param key the workflow and node, whatever their names
	 * @param nodeName under which n8n's default mode keeps the static data: that of a new name is empty,
	 * which is not the empty one that `unsaved` came from
	 */
	trigger(key: string, owner: string, nodeName: string): TriggerMemory {
		const known = this.triggers.get(key) ?? { owner, nodeName, schedule: freshSchedule };
		// the last in the map is the one that had a tick last
		this.triggers.delete(key);
		this.triggers.set(key, known);
		const [oldest] = this.triggers.keys();
		if (this.triggers.size > MAX_TRIGGERS) this.triggers.delete(oldest);
		if (known.owner !== owner) {
			const fresh = { schedule: freshSchedule, backlog: undefined, toCorrect: undefined };
			Object.assign(known, { owner, ...fresh });
		}
		if (known.nodeName !== nodeName) Object.assign(known, { nodeName, unsaved: undefined });
		return known;
	}

	share(account: string): AllowanceShare {
		return this.accounts.get(account) ?? freshShare;
	}

	setShare(account: string, share: AllowanceShare): void {
		this.accounts.set(account, share);
	}

	/** Whether n8n polls with this context for the first time: each activation brings a new one. */
	isNew(context: IPollFunctions): boolean {
		if (this.contexts.has(context)) return false;
		this.contexts.add(context);
		return true;
	}

	/** A number for a look that begins. */
	nextLook(): number {
		return (this.looks += 1);
	}
}
