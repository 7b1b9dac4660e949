import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';
import type { TriggerEvent } from './seen';

/** One trigger as a person set it up, and as n8n runs it. */
export type Trigger = {
	/** The workflow and node, whatever their names. */
	key: string;
	/** See `Account.key`. */
	account: string;
	/** See `sourceOf`. */
	source: string;
	events: readonly TriggerEvent[];
	/** Whether the first look at a form delivers what is already there. */
	emitExisting: boolean;
	/** Items that one poll delivers at most. */
	maxPerPoll: number;
	/** Requests that all triggers on the account together may make in 24 hours. */
	requestsPerDay: number;
	/** Why n8n polls: its schedule says so, n8n starts, or a person publishes the workflow. */
	occasion: 'tick' | 'start' | 'publish';
	/** Milliseconds that n8n gives this poll. */
	budgetMs: number;
};

/** What a look at the form brought. */
export type Listing = {
	records: IDataObject[];
	/** Whether the listing was read to its end. */
	complete: boolean;
};

/** All that a poll reaches outside of itself, so that tests can drive it through days in a moment. */
export type World = {
	node: INode;
	/** Epoch milliseconds. */
	now(): number;
	log: { info(message: string): void; warn(message: string): void };
	/** The responses of the form. `goOn` is asked before each page but the first; no cuts the listing there. */
	list(goOn: () => boolean): Promise<Listing>;
	/** How many requests `list` has sent so far. Files have hosts of their own, and do not count. */
	requestsSent(): number;
	/** A response as an item, with its files where they are wanted. */
	toItem(record: IDataObject, event: TriggerEvent): Promise<INodeExecutionData>;
	/** The same without files, and with the reason why. */
	toItemWithoutFiles(
		record: IDataObject,
		event: TriggerEvent,
		reason: string,
	): Promise<INodeExecutionData>;
};
