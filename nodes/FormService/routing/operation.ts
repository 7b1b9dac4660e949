import type { INode, INodeExecutionData } from 'n8n-workflow';
import type { Sender } from '../api/sender';

/** What an operation may ask of n8n for one input item. */
export type Input = {
	/**
	 * The item's value of a parameter, with expressions resolved; a resource locator gives the value
	 * that was chosen.
	 */
	parameter<T = unknown>(name: string, fallback?: T): T;
	item: INodeExecutionData;
	itemIndex: number;
	node: INode;
};

/** The items of one execution of the node, as far as they can share work. */
export type Run = {
	/** Does the work once for all items of the run that ask for the same key. */
	once<T>(key: string, work: () => Promise<T>): Promise<T>;
	/** Does the work once what was given before it under the same key has ended, in the order of the items. */
	inTurn<T>(key: string, work: () => Promise<T>): Promise<T>;
	/**
	 * Does the work of an item that must not be done twice. Where n8n runs the node again as a whole
	 * (Retry On Fail), what was done, or may have been done, at an earlier try is not done again: what
	 * came of it then comes of it now.
	 */
	onceOverTries<T>(itemIndex: number, work: () => Promise<T>): Promise<T>;
};

/** What is left to do for an item once all of its input has been checked: send and decode. */
export type Task = (sender: Sender, run: Run) => Promise<INodeExecutionData[]>;

export type Operation = {
	/**
	 * Reads and checks all that the item brings, without waiting for anything: n8n starts the items
	 * of a run one after another, and the first request leaves when all of them have been checked.
	 *
	 * @throws NodeOperationError that names the parameter and what it must be
	 */
	prepare(input: Input): Task;
};

/** By resource, then by operation, as in the node's parameters. */
export type Operations = Record<string, Record<string, Operation>>;
