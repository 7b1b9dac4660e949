import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';
import type { Conditions } from '../api/answers/conditions';
import type { ListOptions } from '../api/replies/list';
import type { PollListing, TriggerEvent } from './diff';

/** The forms that a trigger watches: those with these IDs, or all of the workspace with exceptions. */
export type Watch =
	| { kind: 'chosen'; formIds: readonly string[] }
	| { kind: 'all'; except: readonly string[] };

/** One trigger as a person set it up, and as n8n runs it. */
export type Trigger = {
	/** The workflow and node, whatever their names. */
	key: string;
	/** See `Account.key`. */
	account: string;
	/** A short name for the base URL. */
	service: string;
	watch: Watch;
	/** Names of forms, by ID, as far as the node's parameters tell them. */
	names: ReadonlyMap<string, string>;
	events: readonly TriggerEvent[];
	/** After this time, a response that is still incomplete is abandoned. Milliseconds. */
	abandonedAfterMs: number;
	/** A response that does not meet them starts nothing and counts as seen. */
	conditions: Conditions;
	/** Whether the first poll of a form delivers what is already there. */
	emitExisting: boolean;
	/** Whether items are made with the fields of their form, see `needsFields`. */
	needsFields: boolean;
	/** Items that one poll delivers at most. */
	maxPerPoll: number;
	/** Requests that all triggers on the account together may make in 24 hours. */
	requestsPerDay: number;
	/** Why n8n polls: its schedule says so, n8n starts, or a person publishes the workflow. */
	reason: 'tick' | 'start' | 'publish';
	/** Milliseconds that n8n gives this poll. */
	budgetMs: number;
};

/** An event that starts the workflow, of a response or of a form itself. */
export type Event = {
	event: TriggerEvent;
	record: IDataObject;
	form: NamedForm;
	/** The fields of the form, where items are made with them. */
	fields?: readonly IDataObject[];
};

/** The name is null where nobody has told it yet. */
export type NamedForm = { id: string; name: string | null };

/** What of a form's listing is asked for. */
export type Asked = Pick<ListOptions, 'isEnough' | 'from' | 'known'> & {
	/** The incomplete responses alone. */
	isIncomplete?: boolean;
};

/** All that a poll reaches outside of itself, so that tests can drive it through days in a moment. */
export type Dependencies = {
	node: INode;
	/** Epoch milliseconds. */
	now(): number;
	log: { info(message: string): void; warn(message: string): void };
	/** The responses of a form. `goOn` is asked before each page but the first; no cuts the listing there. */
	listResponses(formId: string, goOn: () => boolean, asked?: Asked): Promise<PollListing>;
	/** The fields of a form. */
	listFields(formId: string, goOn: () => boolean): Promise<PollListing>;
	/** The forms of the workspace. */
	listForms(goOn: () => boolean): Promise<PollListing>;
	/** How many requests these three have sent so far. Files have hosts of their own, and do not count. */
	requestsSent(): number;
	/**
	 * An event as an item, with the files of its response where they are wanted.
	 *
	 * @param onFileError told of each that cannot be had; it is left out, unless this throws
	 */
	toItem(event: Event, onFileError: (error: Error) => void): Promise<INodeExecutionData>;
	/** The same without files, and with the reason why. */
	toItemWithoutFiles(event: Event, reason: string): Promise<INodeExecutionData>;
};
