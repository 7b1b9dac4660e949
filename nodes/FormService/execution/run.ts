import { compact, sortBy, upperFirst } from 'lodash';
import type { INodeExecutionData } from 'n8n-workflow';
import { mayHaveActed } from '../api/errors';
import type { NodeError } from './itemErrors';
import type { Item, Reads } from './operation';

/**
 * A run is one execution of the node, with all its batches and all tries of n8n (Retry On Fail), which are its
 * attempts. Only this file writes what the items of a run have done: an item waits until it was sent, and then
 * the service has taken or refused it, or may or may not have taken it. Only what was refused is sent again.
 */
export type Run = {
	/** The number of input items. */
	total: number;
	/** Whether the other items are sent after an item failed. */
	continues: boolean;
	lastingReads: Reads;
	/** By the indexes of the items. An item that waits is not in it. */
	progress: Map<number, Progress>;
};

type Progress = {
	row: number;
	/** An item that is `unchanged` was skipped or previewed, or only reads. */
	state: 'refused' | 'unchanged' | 'taken' | 'uncertain';
	/** The outcome that the item has in all attempts. */
	final?: Outcome;
};

/** What became of an item. An item that was given up because another one failed has no outcome. */
export type Outcome = { output: INodeExecutionData[]; hasChanged: boolean } | { error: NodeError };

/** @param total the number of input items */
export function createRun(total: number, continues: boolean): Run {
	return { total, continues, lastingReads: new Map(), progress: new Map() };
}

/** The error of an item that the service may or may not have taken. */
export function findUncertain({ progress }: Run): NodeError | undefined {
	const finals = [...progress.values()].map(({ final }) => final);
	return finals.flatMap((one) => (one && 'error' in one ? one.error : [])).at(0);
}

/** Records the outcome of an item that was sent, or that the item waits again because it was given up. */
export function recordOutcome({ progress }: Run, item: Item, outcome: Outcome | undefined): void {
	const { index, row, endpoint } = item;
	progress.delete(index);
	if (outcome === undefined) return;
	const state = findState(outcome);
	const isFinal = endpoint.effect.kind !== 'safe' && state !== 'refused';
	progress.set(index, { row, state, ...(isFinal && { final: outcome }) });
}

function findState(outcome: Outcome): Progress['state'] {
	if ('output' in outcome) return outcome.hasChanged ? 'taken' : 'unchanged';
	return mayHaveActed(outcome.error) ? 'uncertain' : 'refused';
}

/** Lets the next attempt repeat the reads that failed. All items must have settled. */
export async function forgetFailedReads({ lastingReads }: Run): Promise<void> {
	for (const [key, read] of lastingReads) await read.catch(() => lastingReads.delete(key));
}

/**
 * What a person must know before the same items are run again: how many of them were sent, and which.
 *
 * @param item the item whose error is shown; the error itself says whether this item was sent
 * @returns undefined if everything that was sent was refused
 */
export function describeProgress({ progress, total }: Run, { index }: Item): string | undefined {
	if (progress.size === 0) return 'Nothing was sent.';
	const listRows = (wanted: Progress['state']) =>
		sortBy([...progress], ([one]) => one)
			.filter(([one, { state }]) => state === wanted && (one !== index || state === 'taken'))
			.map(([, { row }]) => row);
	const taken = listRows('taken');
	const uncertain = listRows('uncertain');
	const [were, them] = taken.length === 1 ? ['was', 'it'] : ['were', 'them'];
	const texts = [
		taken.length > 0 &&
			`${taken.length} of the ${total} items ${were} already sent (${nameRows(taken)}). Leave ${them} out when you run this again.`,
		uncertain.length > 0 &&
			`${upperFirst(nameRows(uncertain))} may or may not have been sent. Check before you run this again.`,
	];
	return compact(texts).join(' ') || undefined;
}

/** Rows in the order of their items, such as "rows 1 to 6, 8". */
function nameRows(rows: readonly number[]): string {
	const ranges: Array<[first: number, last: number]> = [];
	for (const row of rows) {
		const latest = ranges.at(-1);
		if (latest !== undefined && row === latest[1] + 1) latest[1] = row;
		else ranges.push([row, row]);
	}
	const texts = ranges.map(([first, last]) =>
		first === last ? `${first}` : `${first} to ${last}`,
	);
	return `${rows.length === 1 ? 'row' : 'rows'} ${texts.join(', ')}`;
}
