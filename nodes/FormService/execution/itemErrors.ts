import { compact, uniq, upperFirst } from 'lodash';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { asNodeError, asSentence, createInputError, NotSent, ServiceError } from '../api/errors';
import { describeUnknownForm, getChosenName, isFormMissing } from '../parameters/formId';
import type { Item } from './operation';

/** The errors of items. */

export type NodeError = NodeApiError | NodeOperationError;

/**
 * Whether an error is about the item itself, so that it is listed with those of the other items: its
 * parameters or its credential are invalid, or its form does not exist.
 */
export function isInvalidItem(error: unknown): boolean {
	if (error instanceof NodeApiError) return error.httpCode === '404';
	return error instanceof NodeOperationError && !(error instanceof NotSent);
}

/** The most rows that an error lists. */
const MAX_ROWS = 50;

/**
 * The error of the first invalid item, which lists all of them. Undefined if no item is invalid.
 *
 * @param total how many items the run has
 */
export function listInvalidItems(
	checked: ReadonlyMap<Item, object | undefined>,
	total: number,
): { item: Item; error: NodeError } | undefined {
	const invalid = [...checked].flatMap(([item, one]) =>
		one && 'error' in one && isInvalidItem(one.error)
			? [{ item, error: one.error as NodeError }]
			: [],
	);
	if (invalid.length === 0) return undefined;
	const [{ item, error }] = invalid;
	const texts = invalid.map((one) => describeError(one.error));
	const rows = invalid.map((one, index) => `${upperFirst(nameItem(one.item))}: ${texts[index]}`);
	const rest = rows.length > MAX_ROWS ? [`… and ${rows.length - MAX_ROWS} more.`] : [];
	const count = `${rows.length} of ${total} items ${rows.length === 1 ? 'is' : 'are'} invalid`;
	const [message, lines] =
		uniq(texts).length === 1
			? [error.message, [total > 1 && `${count}, first ${nameItem(item)}.`, error.description]]
			: [count, [...rows.slice(0, MAX_ROWS), ...rest]];
	const description = compact(lines).join('\n');
	const { node, failure } = error;
	const { index: itemIndex } = item;
	return { item, error: createInputError(node, { message, description, failure, itemIndex }) };
}

/**
 * The error that stops the node, for its item: nodes and items can share a request, and with it an error.
 *
 * @param progress what a person must know before the items are run again, see `describeProgress`
 */
export function explainStop(given: unknown, item: Item, progress: string | undefined): NodeError {
	const node = item.n8n.getNode();
	const { index: itemIndex } = item;
	const error = asNodeError(node, given, itemIndex);
	const texts = [error.description, progress];
	// what comes after a long list of invalid items is overlooked
	if (isInvalidItem(error)) texts.reverse();
	const { message, failure } = error;
	const explanation = { message, description: compact(texts).join('\n'), failure };
	return error instanceof NodeOperationError
		? createInputError(node, { ...explanation, itemIndex })
		: new ServiceError(node, { ...explanation, httpCode: error.httpCode ?? undefined }, itemIndex);
}

/** n8n itself shows the index of an item with an error. */
function nameItem({ row, index }: Item): string {
	return `item ${index} (row ${row})`;
}

function describeError({ message, description }: NodeError): string {
	const details = description ? ` ${description.replaceAll('\n', ' ')}` : '';
	return asSentence(message) + details;
}

/** The error of a form that does not exist, if it was chosen from the list. All other errors stay unchanged. */
export function explainMissingForm(item: Item, error: unknown): unknown {
	const node = item.n8n.getNode();
	const formId = 'prepared' in item ? item.prepared.ids?.formId : undefined;
	const name = formId === undefined ? undefined : getChosenName(node, formId);
	if (formId === undefined || name === undefined || !isFormMissing(error)) return error;
	const { failure } = error as NodeError;
	const explanation = { ...describeUnknownForm(formId, name), failure, httpCode: '404' };
	return new ServiceError(node, explanation, item.index);
}
