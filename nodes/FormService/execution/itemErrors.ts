import { compact, groupBy, map, sortBy, upperFirst } from 'lodash';
import { toNodeError, InputError, type NodeError, ServiceError } from '../api/errors';
import { addPeriod } from '../api/errorTexts';
import {
	createFormNotFoundError,
	getSelectedFormName,
	isFormNotFoundError,
} from '../parameters/formId';
import { mayHaveBeenSent, type InputItem, type ItemOutcome, type SentState } from './inputItem';

/* Creates the errors of items. */

/**
 * Converts an error to the error of an item. If the user chose a form from the list and the form is not found,
 * the error names the form. Items can share a request, so each item gets a copy of the error.
 */
export function toItemError(error: unknown, item: InputItem): NodeError {
	const { n8n, index: itemIndex } = item;
	const node = n8n.getNode();
	const { formId = '' } = ('prepared' in item && item.prepared.ids) || {};
	const isSelected = getSelectedFormName(node, formId) !== undefined;
	if (isSelected && isFormNotFoundError(error)) {
		return createFormNotFoundError(node, formId, { itemIndex });
	}
	if (!(error instanceof ServiceError)) return toNodeError(node, error, itemIndex);
	const { message, description } = error;
	return error.withText({ message, description: description ?? '' }, itemIndex);
}

/** An invalid item and its error. */
type InvalidItem = { item: InputItem; error: NodeError };

/**
 * Creates one error for all invalid items of a batch: `2 of 5 items are invalid`. The message is the reason
 * instead if only one item is invalid, or if every item of the batch is invalid for the same reason.
 *
 * @param invalidItems at least one item with its error
 * @param batchCount the number of items in the batch
 * @param total the number of items in the try
 */
export function createInvalidItemsError(
	invalidItems: readonly InvalidItem[],
	batchCount: number,
	total: number,
): NodeError {
	const [{ item: firstItem, error }] = invalidItems;
	const { message, description, node, failure } = error;
	const count = invalidItems.length;
	const createError = (text: { message: string; description: string }) =>
		new InputError(node, { ...text, itemIndex: firstItem.index, failure });
	if (count === 1) {
		if (error instanceof ServiceError) return error;
		const texts = [describeItemNumber(firstItem, total), description];
		return createError({ message, description: compact(texts).join('\n') });
	}
	const lines = groupByErrorText(invalidItems);
	if (count === batchCount && lines.length === 1) {
		return createError({ message, description: description ?? '' });
	}
	const haveRows = invalidItems.every(({ item }) => item.row !== undefined);
	const checkedItems =
		batchCount === total ? `${total} items` : `the ${batchCount} items in a batch`;
	const help = haveRows ? '' : 'n8n counts items from 0.';
	return createError({
		message: `${count} of ${checkedItems} are invalid`,
		description: compact([help, ...lines]).join('\n'),
	});
}

/** Returns a line for each different error, with its items: "Rows 3, 5: 'Form' is empty." */
function groupByErrorText(invalidItems: readonly InvalidItem[]): string[] {
	const groups = Object.entries(groupBy(invalidItems, ({ error }) => formatError(error)));
	return groups.map(([text, entries]) => {
		return `${upperFirst(formatItemRanges(map(entries, 'item')))}: ${text}`;
	});
}

/**
 * Creates the error with which the node stops, from the error of an item. The error says which items were
 * sent, so that the user does not send these items again.
 *
 * @param outcomes the outcomes of all items
 */
export function createStopError(
	error: NodeError,
	item: InputItem,
	outcomes: ReadonlyMap<InputItem, ItemOutcome>,
): NodeError {
	const { n8n, index: itemIndex, endpoint } = item;
	const { message, failure } = error;
	const finalOutcomes = [...outcomes].filter(([, outcome]) => mayHaveBeenSent(outcome));
	const canAddAgain = endpoint.effect === 'nonIdempotent' && finalOutcomes.length > 0;
	const sentItems = compact([
		describeSentItems(outcomes, itemIndex),
		canAddAgain && RETRY_ADDS_AGAIN,
	]).join('\n');
	if (error instanceof ServiceError) {
		const texts = [error.description, describeItemNumber(item, outcomes.size), sentItems];
		return error.withText({ message, description: compact(texts).join('\n') }, itemIndex);
	}
	// put the list of invalid items last, because users overlook a sentence after a long list
	const texts = [
		sentItems || (endpoint.effect !== 'safe' && 'Nothing was sent.'),
		error.description,
	];
	const description = compact(texts).join('\n');
	return new InputError(n8n.getNode(), { message, description, failure, itemIndex });
}

/**
 * A warning about n8n's button Retry under Executions. Retry starts a new execution, in which n8n does not
 * know which items were sent.
 */
const RETRY_ADDS_AGAIN =
	"Retry under Executions sends all items again. With 'Skip Duplicates By', it skips what was added.";

/**
 * Describes which item failed: "Item 3 is row 5." For the fourth item, n8n adds "[item 3]" to the message.
 */
function describeItemNumber({ index, row }: InputItem, total: number): string {
	if (total === 1) return row === undefined ? '' : `The item is row ${row}.`;
	return row === undefined
		? `n8n counts items from 0: item ${index} is number ${index + 1}.`
		: `Item ${index} is row ${row}.`;
}

/**
 * Describes which items were sent, and which items may have been sent. Returns an empty string if the node
 * has only one item.
 */
function describeSentItems(
	outcomes: ReadonlyMap<InputItem, ItemOutcome>,
	failedIndex: number,
): string {
	if (outcomes.size === 1) return '';
	const findItems = (state: SentState) =>
		[...outcomes].flatMap(([item, outcome]) =>
			'sent' in outcome && outcome.sent === state ? [item] : [],
		);
	const sentItems = findItems('yes');
	const uncertainItems = findItems('maybe').filter(({ index }) => index !== failedIndex);
	const were = sentItems.length === 1 ? 'was' : 'were';
	const texts = [
		sentItems.length > 0 &&
			`${sentItems.length} of the ${outcomes.size} items ${were} already sent (${formatItemRanges(sentItems)}). Run only the other items again.`,
		uncertainItems.length > 0 &&
			`May or may not have been sent: ${formatItemRanges(uncertainItems)}. Check before you run this again.`,
	];
	return compact(texts).join(' ');
}

/** Formats items by their indexes in n8n: "items 0 to 5, 7". If all items have rows, formats rows: "rows 2 to 7". */
function formatItemRanges(items: readonly InputItem[]): string {
	const haveRows = items.every(({ row }) => row !== undefined);
	const numbers = sortBy(items.map(({ index, row }) => (haveRows ? Number(row) : index)));
	const ranges: Array<{ first: number; last: number }> = [];
	for (const number of numbers) {
		const latestRange = ranges.at(-1);
		if (latestRange?.last === number - 1) latestRange.last = number;
		else ranges.push({ first: number, last: number });
	}
	const texts = ranges.map(({ first, last }) => (first === last ? first : `${first} to ${last}`));
	return `${haveRows ? 'row' : 'item'}${items.length === 1 ? '' : 's'} ${texts.join(', ')}`;
}

/**
 * Formats an error as one string with the message and the description, for lists of errors, for failed items,
 * and for models.
 */
export function formatError({ message, description }: NodeError): string {
	const details = description ? ` ${description.replaceAll('\n', ' ')}` : '';
	return addPeriod(message) + details;
}

/** Converts the lines of a description to HTML, because n8n's editor shows descriptions as HTML. */
export function toHtmlLines(description?: string | null): string {
	return (description ?? '').replaceAll('\n', '<br>\n');
}
