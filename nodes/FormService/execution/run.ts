import type { IExecuteSingleFunctions } from 'n8n-workflow';
import type { Item } from './item';
import type { Reads } from './operation';

/**
 * The items of one execution of the node in one try of n8n (Retry On Fail), with what the tries have in common.
 */
export type Run = {
	total: number;
	/** Whether the other items are sent after an item failed. */
	continues: boolean;
	/** The items that the service has taken or may have taken, by index, in all tries: none is sent again. */
	sent: Map<number, Item>;
	/** In all tries, so that an item finds the equal one that an earlier try has added. */
	reads: Reads;
	/** The indexes of the items that n8n has handed over. */
	seen: Set<number>;
	/** The items that n8n has handed over since the last batch began. */
	waiting: Item[];
	/** Resolves when all batches that have begun are settled, also those of earlier tries. */
	done: Promise<void>;
	/** Resolves when all items have settled. */
	ended: Promise<void>;
	end: () => void;
	controller: AbortController;
	/** Follows the controller and n8n's cancellation. When it aborts, what waits is not sent. */
	signal: AbortSignal;
};

/** Begins a try of n8n, which sends nothing before the items of the earlier try have settled. */
export function beginTry(n8n: IExecuteSingleFunctions, total: number, earlier?: Run): Run {
	earlier?.controller.abort(new Error('n8n tries again'));
	const controller = new AbortController();
	const canceled = n8n.getExecutionCancelSignal?.();
	const signals = [controller.signal, canceled].filter((signal) => signal !== undefined);
	let end = () => {};
	const ended = new Promise<void>((resolve) => (end = resolve));
	return {
		total,
		continues: n8n.continueOnFail(),
		sent: earlier?.sent ?? new Map(),
		reads: earlier?.reads ?? new Map(),
		seen: new Set(),
		waiting: [],
		done: earlier?.done ?? Promise.resolve(),
		ended,
		end,
		controller,
		signal: AbortSignal.any(signals),
	};
}
