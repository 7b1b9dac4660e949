import { compact, groupBy, map, upperFirst } from 'lodash';
import { InputError, ServiceError, type NodeError } from '../api/errors';
import { endSentence } from '../api/text';
import { isTool } from '../parameters/parameterContext';
import type { InputItem, ItemOutcome } from './batch';

type FailedOutcome = Extract<ItemOutcome, { error: NodeError }>;

/**
 * Creates the error with which the node stops. It lists all invalid items, or says which items were sent, so
 * that nobody sends them again.
 */
export function createStopError(
	item: InputItem,
	{ error, isInvalid }: FailedOutcome,
	items: readonly InputItem[],
): NodeError {
	const { message, description } = isInvalid
		? describeInvalidItems(items)
		: { message: error.message, description: [error.description, describeItems([item])] };
	const nothing = isInvalid && item.endpoint.effect !== 'safe' && 'Nothing was sent.';
	const sent = describeSentItems(items) || nothing;
	// users overlook a sentence after a long list of invalid items
	const lines = compact(isInvalid ? [sent, ...description] : [...description, sent]);
	const text = { message, description: lines.join('\n') };
	const stopError =
		error instanceof ServiceError
			? error.withText(text, item.index)
			: new InputError(error.node, { ...text, itemIndex: item.index });
	// a model gets only the message, and the editor shows the description as HTML
	const shown = isTool(error.node)
		? { message: formatError(stopError), description: '' }
		: { description: text.description.replaceAll('\n', '<br>\n') };
	return Object.assign(stopError, shown);
}

/** Describes all invalid items. If they have the same reason, the reason is the message. */
function describeInvalidItems(items: readonly InputItem[]) {
	const invalidItems = items.flatMap((item) => {
		const { outcome } = item;
		const isInvalid = outcome !== undefined && 'error' in outcome && outcome.isInvalid;
		return isInvalid ? [{ item, error: outcome.error }] : [];
	});
	const byReason = groupBy(invalidItems, ({ error }) => formatError(error));
	const groups = Object.entries(byReason);
	if (groups.length === 1) {
		const [{ error }] = invalidItems;
		return {
			message: error.message,
			description: [describeItems(map(invalidItems, 'item')), error.description],
		};
	}
	return {
		message: `${invalidItems.length} of ${items.length} items are invalid`,
		description: groups.map(
			([reason, group]) => `${upperFirst(listItems(map(group, 'item')))}: ${reason}`,
		),
	};
}

/** Says which items were sent. Returns an empty string if none was. */
function describeSentItems(items: readonly InputItem[]): string {
	const sentItems = items.filter(
		({ outcome }) => outcome !== undefined && 'output' in outcome && outcome.isSent,
	);
	if (sentItems.length === 0) return '';
	const counts = `${sentItems.length} of ${items.length}`;
	return `Already sent (${counts}): ${listItems(sentItems)}. Run only the other items again.`;
}

/** Returns an empty string for one item without a row, because n8n itself shows its index. */
function describeItems(items: readonly InputItem[]): string {
	const isShown = items.length > 1 || items[0].row !== undefined;
	return isShown ? `Affected: ${listItems(items)}.` : '';
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
	return endSentence(message) + details;
}
