import { compact, groupBy, map, upperFirst } from 'lodash';
import type { Endpoint } from '../api/endpoints';
import { toNodeError, InputError, type NodeError, ServiceError } from '../api/errors';
import { addPeriod } from '../api/text';
import {
	createFormNotFoundError,
	getSelectedFormName,
	isFormNotFoundError,
} from '../parameters/locators';
import type { InputItem, ItemOutcome } from './operation';

/** Converts an error to the error of an item. Items can share a request, so each item gets a copy of the error. */
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

/** Creates one error for all invalid items of a batch. If there is only one reason, the reason is the message. */
export function createInvalidItemsError(
	invalidItems: ReadonlyArray<{ item: InputItem; error: NodeError }>,
	batchCount: number,
): NodeError {
	const [{ item: firstItem, error }] = invalidItems;
	const { message, description, node, failure } = error;
	const count = invalidItems.length;
	const createError = (text: { message: string; description: string }) =>
		new InputError(node, { ...text, itemIndex: firstItem.index, failure });
	if (count === 1) {
		if (error instanceof ServiceError) return error;
		const texts = [describePlace(firstItem), description];
		return createError({ message, description: compact(texts).join('\n') });
	}
	const byText = groupBy(invalidItems, ({ error: invalidError }) => formatError(invalidError));
	const lines = Object.entries(byText).map(
		([text, entries]) => `${upperFirst(listItems(map(entries, 'item')))}: ${text}`,
	);
	if (count === batchCount && lines.length === 1) {
		return createError({ message, description: description ?? '' });
	}
	const text = `${count} of ${batchCount} items are invalid`;
	return createError({ message: text, description: lines.join('\n') });
}

/** Creates the error with which the node stops. It says which items were sent, so that nobody sends them again. */
export function createStopError(
	error: NodeError,
	item: InputItem,
	outcomes: ReadonlyMap<InputItem, ItemOutcome>,
): NodeError {
	const { n8n, index: itemIndex, endpoint } = item;
	const { message, failure } = error;
	const sentItems = describeSentItems(endpoint, outcomes);
	if (error instanceof ServiceError) {
		const texts = [error.description, describePlace(item), sentItems];
		return error.withText({ message, description: compact(texts).join('\n') }, itemIndex);
	}
	const nothing = endpoint.effect !== 'safe' && 'Nothing was sent.';
	// users overlook a sentence after a long list of invalid items
	const description = compact([sentItems || nothing, error.description]).join('\n');
	return new InputError(n8n.getNode(), { message, description, failure, itemIndex });
}

/** Retry starts a new execution, in which n8n does not know which items were sent. */
const RETRY_ADDS_AGAIN =
	"Retry under Executions sends all items again. With 'Skip Duplicates By', it skips what was added.";

/** Says which items were sent. Returns an empty string if none was. */
function describeSentItems(
	{ effect }: Endpoint,
	outcomes: ReadonlyMap<InputItem, ItemOutcome>,
): string {
	const sentItems = [...outcomes].flatMap(([item, outcome]) =>
		'sent' in outcome && outcome.sent === 'yes' ? [item] : [],
	);
	if (sentItems.length === 0) return '';
	const were = sentItems.length === 1 ? 'was' : 'were';
	const text = `${sentItems.length} of the ${outcomes.size} items ${were} already sent (${listItems(sentItems)}). Run only the other items again.`;
	return effect === 'nonIdempotent' ? `${text}\n${RETRY_ADDS_AGAIN}` : text;
}

function describePlace({ row }: InputItem): string {
	return row === undefined ? '' : `The item is row ${row}.`;
}

const MAX_LISTED_ITEMS = 20;

function listItems(items: readonly InputItem[]): string {
	const haveRows = items.every(({ row }) => row !== undefined);
	const numbers = items.map(({ index, row }) => (haveRows ? row : index));
	const listed = numbers.slice(0, MAX_LISTED_ITEMS).join(', ');
	const more = numbers.length - MAX_LISTED_ITEMS;
	const noun = haveRows ? 'row' : 'item';
	return `${noun}${items.length === 1 ? '' : 's'} ${listed}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Formats an error as one line, for lists of errors, for failed items, and for models. */
export function formatError({ message, description }: NodeError): string {
	const details = description ? ` ${description.replaceAll('\n', ' ')}` : '';
	return addPeriod(message) + details;
}
