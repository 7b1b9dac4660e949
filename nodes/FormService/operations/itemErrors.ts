import { compact, uniq } from 'lodash';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { asSentence, createInputError, NotSent } from '../api/errors';
import type { Item } from './operation';

/** The errors of invalid items. */

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
 * The error of the first invalid item, which lists all of them and says what of the run was sent before, so
 * that it isn't sent twice. Undefined if no item is invalid.
 *
 * @param sent how many items were sent before, in earlier batches
 * @param total how many items the run has
 */
export function listInvalidItems(
	checked: ReadonlyMap<Item, object>,
	sent: number,
	total: number,
): { item: Item; error: NodeError } | undefined {
	const invalid = [...checked].flatMap(([item, one]) =>
		'error' in one && isInvalidItem(one.error) ? [{ item, error: one.error as NodeError }] : [],
	);
	if (invalid.length === 0) return undefined;
	const [{ item, error }] = invalid;
	const whatWasSent =
		sent === 0
			? 'Nothing was sent.'
			: `The first ${sent} of the ${total} items were already sent, in earlier batches. Leave them out when you run this again.`;
	const texts = invalid.map((one) => describeError(one.error));
	const rows = invalid.map((one, index) => `${nameRow(one.item)}: ${texts[index]}`);
	const rest = rows.length > MAX_ROWS ? [`… and ${rows.length - MAX_ROWS} more.`] : [];
	const place = `This error is in ${rows.length} of the ${total} rows, first in ${nameRow(item)}.`;
	const [message, lines] =
		uniq(texts).length === 1
			? [error.message, [total > 1 && place, error.description]]
			: [`${rows.length} of ${total} rows have errors`, [...rows.slice(0, MAX_ROWS), ...rest]];
	const description = compact([whatWasSent, ...lines]).join('\n');
	const { node, failure } = error;
	const { index: itemIndex } = item;
	return { item, error: createInputError(node, { message, description, failure, itemIndex }) };
}

/** n8n itself shows the index of an item beside an error. */
function nameRow({ row, index }: Item): string {
	return `Row ${row} (item ${index})`;
}

function describeError({ message, description }: NodeError): string {
	const details = description ? ` ${description.replaceAll('\n', ' ')}` : '';
	return asSentence(message) + details;
}
