import { compact, groupBy, partition, sortBy, upperFirst } from 'lodash';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { asSentence, createInputError, NotSent, ServiceError } from '../api/errors';
import { describeUnknownForm, getChosenName, isFormMissing } from '../parameters/formId';
import type { Item, NodeError } from './item';

/** The errors of items. */

/**
 * Whether an error is about the item itself, so that it is listed with those of the other items: its
 * parameters or its credential are invalid, or its form does not exist.
 */
export function isInvalidItem(error: unknown): boolean {
	if (error instanceof NodeApiError) return error.httpCode === '404';
	return error instanceof NodeOperationError && !(error instanceof NotSent);
}

/**
 * The error of the first invalid item, which lists all of them, each text once.
 *
 * @param invalid at least one item with its error
 * @param total how many items the run has
 */
export function listInvalidItems(
	invalid: ReadonlyArray<{ item: Item; error: NodeError }>,
	total: number,
): NodeError {
	const [{ item: first, error }] = invalid;
	if (invalid.length === 1) return error;
	const groups = Object.values(groupBy(invalid, (one) => addDetails(one.error)));
	const names = groups.map((same) => upperFirst(nameItems(same.map(({ item }) => item))));
	const lines = groups.map(([one], at) => `${names[at]}: ${addDetails(one.error)}`);
	const explanation =
		groups.length === 1
			? { message: error.message, lines: [`${names[0]} are invalid.`, error.description] }
			: { message: `${invalid.length} of ${total} items are invalid`, lines };
	return createInputError(error.node, {
		message: explanation.message,
		description: compact(explanation.lines).join('\n'),
		itemIndex: first.index,
		failure: error.failure,
	});
}

/** How many items a run has, and those that the service has taken or may have taken. */
type Progress = { total: number; sent: ReadonlyMap<number, Item> };

/**
 * The error that stops the node, for its item. It says what a person must know before the items are run again.
 * A copy: items can share a request, and with it an error.
 */
export function explainStop(error: NodeError, item: Item, progress: Progress): NodeError {
	const { n8n, index: itemIndex, endpoint } = item;
	const isInvalid = isInvalidItem(error);
	// the service itself can also have refused a form that does not exist
	const isInput = isInvalid && error instanceof NodeOperationError;
	const isUnsent = isInput && endpoint.effect.kind !== 'safe' && progress.sent.size === 0;
	const text = isUnsent ? 'Nothing was sent.' : describeProgress(progress, itemIndex);
	// what comes after a long list of invalid items is overlooked
	const texts = isInvalid ? [text, error.description] : [error.description, text];
	const { message, failure } = error;
	const explanation = { message, description: compact(texts).join('\n'), failure };
	const node = n8n.getNode();
	return error instanceof NodeOperationError
		? createInputError(node, { ...explanation, itemIndex })
		: new ServiceError(node, { ...explanation, httpCode: error.httpCode ?? undefined }, itemIndex);
}

/** Which items were sent, and which may have been; the error of the item with `ownIndex` says so itself. */
function describeProgress({ sent, total }: Progress, ownIndex: number): string {
	const [taken, failed] = partition([...sent.values()], ({ outcome = {} }) => 'output' in outcome);
	const unclear = failed.filter(({ index }) => index !== ownIndex);
	const [were, them] = taken.length === 1 ? ['was', 'it'] : ['were', 'them'];
	const texts = [
		taken.length > 0 &&
			`${taken.length} of the ${total} items ${were} already sent (${nameItems(taken)}). Leave ${them} out when you run this again.`,
		unclear.length > 0 &&
			`${upperFirst(nameItems(unclear))} may or may not have been sent. Check before you run this again.`,
	];
	return compact(texts).join(' ');
}

/** Such as "items 0 to 5, 7", by the indexes that n8n shows; "rows 2 to 7" if all items come from a sheet. */
function nameItems(items: readonly Item[]): string {
	const haveRows = items.every(({ row }) => row !== undefined);
	const numbers = sortBy(items.map(({ index, row }) => (haveRows ? Number(row) : index)));
	const ranges: Array<[first: number, last: number]> = [];
	for (const number of numbers) {
		const latest = ranges.at(-1);
		if (latest?.[1] === number - 1) latest[1] = number;
		else ranges.push([number, number]);
	}
	const texts = ranges.map(([first, last]) => (first === last ? first : `${first} to ${last}`));
	return `${haveRows ? 'row' : 'item'}${items.length === 1 ? '' : 's'} ${texts.join(', ')}`;
}

/** An error in one text, as a list has it, and as a model gets it: n8n gives a model nothing but the message. */
export function addDetails({ message, description }: NodeError): string {
	const details = description ? ` ${description.replaceAll('\n', ' ')}` : '';
	return asSentence(message) + details;
}

/** The error of a form that does not exist, if it was chosen from the list. All other errors stay unchanged. */
export function explainMissingForm(error: unknown, { n8n, index, prepared }: Item): unknown {
	const { formId } = prepared?.ids ?? {};
	if (formId === undefined || !isFormMissing(error)) return error;
	const name = getChosenName(n8n.getNode(), formId);
	if (name === undefined) return error;
	const { failure } = error as NodeError;
	const explanation = { ...describeUnknownForm(formId, name), failure, httpCode: '404' };
	return new ServiceError(n8n.getNode(), explanation, index);
}
