import { getAccount } from '../api/account';
import { asNodeError, createInputError, mayHaveActed, NotSent } from '../api/errors';
import { REQUESTS_PER_DAY } from '../api/request/requestQueue';
import { createRequest } from './item';
import type { Item } from './item';
import { explainMissingForm, isInvalidItem, listInvalidItems } from './itemErrors';
import type { Change } from './operation';
import type { Run } from './run';

/**
 * The items that n8n hands over without a pause: all, or a batch of the request options. All of them are checked
 * before the first change is sent. In a node that stops on failure, no change is sent if an item is invalid,
 * and nothing more is sent after a failure. In a node that continues, each item has its own outcome.
 */

/** Begins to check and send the items that wait, after the batches before them. */
export function beginBatch(run: Run): void {
	const batch = run.waiting.splice(0);
	const done = run.done.then(async () => {
		await runBatch(run, batch);
		if (run.done === done && run.seen.size === run.total) run.end();
	});
	run.done = done;
}

async function runBatch(run: Run, batch: readonly Item[]): Promise<void> {
	for (const item of batch) item.outcome = run.sent.get(item.index)?.outcome ?? item.outcome;
	if (!run.continues && isRefused(run, batch)) return;
	const open = batch.filter(({ outcome }) => outcome === undefined);
	const changes = await Promise.all(open.map(async (item) => await readItem(run, item)));
	if (!run.continues && refuseInvalid(run, batch)) return;
	const lastByKey = new Map<unknown, Promise<void>>();
	const sending = open.map(async (item, place) => {
		const change = changes[place];
		if (change === undefined) return;
		const key = change.orderKey ?? item;
		const before = lastByKey.get(key) ?? Promise.resolve();
		const sent = before.then(async () => await sendChange(run, item, change));
		lastByKey.set(key, sent);
		await sent;
	});
	await Promise.all(sending);
}

/** Whether nothing of a batch may be sent, in a node that stops on failure; the reason stops the run. */
function isRefused(run: Run, batch: readonly Item[]): boolean {
	const failed = [...run.sent.values()].find(({ outcome = {} }) => 'error' in outcome);
	if (failed?.outcome && 'error' in failed.outcome) run.controller.abort(failed.outcome.error);
	if (run.signal.aborted || refuseTooMany(run, batch)) return true;
	// before changes, the other items are checked too, so that one error lists all invalid ones
	const isReading = batch.every(({ endpoint }) => endpoint.effect.kind === 'safe');
	return isReading && refuseInvalid(run, batch);
}

/** Stops a run with invalid items: the error of the first one lists all. */
function refuseInvalid(run: Run, batch: readonly Item[]): boolean {
	const invalid = batch.flatMap((item) => {
		const { outcome } = item;
		if (outcome === undefined || !('error' in outcome) || run.sent.has(item.index)) return [];
		return isInvalidItem(outcome.error) ? [{ item, error: outcome.error }] : [];
	});
	if (invalid.length === 0) return false;
	const error = listInvalidItems(invalid, run.total);
	invalid[0].item.outcome = { error };
	run.controller.abort(error);
	return true;
}

/** Stops a run of more changes than a day has requests. */
function refuseTooMany(run: Run, batch: readonly Item[]): boolean {
	const sending = batch.filter(({ outcome, prepared }) => !outcome && prepared?.needsRequest);
	if (sending.length <= REQUESTS_PER_DAY) return false;
	const [{ n8n, index: itemIndex }] = sending;
	const message = `The items need ${sending.length} requests, but Form Service allows ${REQUESTS_PER_DAY} a day`;
	const description = 'Split the items into several runs, on different days.';
	const error = createInputError(n8n.getNode(), { message, description, itemIndex });
	sending[0].outcome = { error };
	run.controller.abort(error);
	return true;
}

/** Reads what an item needs, and gives its change, if it has one to send. */
async function readItem(run: Run, item: Item): Promise<Change | undefined> {
	try {
		const account = await getAccount(item.n8n, item.index);
		const result = await item.prepared!.read(createRequest(item, account, run));
		if (!Array.isArray(result)) return result;
		item.outcome = { output: result };
	} catch (error) {
		settleFailure(run, item, error, !isInvalidItem(error));
	}
	return undefined;
}

async function sendChange(run: Run, item: Item, { send }: Change): Promise<void> {
	try {
		if (run.signal.aborted) throw new NotSent(item.n8n.getNode(), item.index);
		const { output, hasChanged } = await send();
		item.outcome = { output };
		if (hasChanged) run.sent.set(item.index, item);
	} catch (error) {
		settleFailure(run, item, error, true);
	}
}

/**
 * Settles an item that failed, unless it was given up.
 *
 * @param stops whether nothing more is sent, in a node that stops on failure
 */
function settleFailure(run: Run, item: Item, error: unknown, stops: boolean): void {
	if (error instanceof NotSent && run.signal.aborted) return;
	if (stops && !run.continues) run.controller.abort(error);
	const { n8n, index: itemIndex } = item;
	const explained = explainMissingForm(error, item);
	item.outcome = { error: asNodeError(n8n.getNode(), explained, itemIndex) };
	if (mayHaveActed(error)) run.sent.set(itemIndex, item);
}
