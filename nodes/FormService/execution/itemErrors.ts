import { compact, groupBy, map, partition, sortBy, upperFirst } from 'lodash';
import { NodeOperationError } from 'n8n-workflow';
import {
	asNodeError,
	createInputError,
	hasReason,
	type NodeError,
	ServiceError,
} from '../api/errors';
import { asSentence } from '../api/errorTexts';
import {
	createFormNotFoundError,
	getSelectedFormName,
	isFormNotFoundError,
} from '../parameters/formId';
import type { InputItem } from './inputItem';

/** The errors of items. */

/**
 * Whether an error is about the item itself, so that it is listed with those of the other items: its parameters
 * or its credential are invalid, or what it asks for does not exist. A web page with status 404 is about the address.
 */
export function isInvalidItemError(error: unknown): boolean {
	return error instanceof NodeOperationError || hasReason(error, 'notFound');
}

/** The error of an item; that of a form that was chosen from the list, and is not found, names the form. */
export function toItemError(
	error: unknown,
	{ n8n, index: itemIndex, prepared }: InputItem,
): NodeError {
	const node = n8n.getNode();
	const { formId = '' } = prepared?.ids ?? {};
	const isSelected = getSelectedFormName(node, formId) !== undefined;
	return isSelected && isFormNotFoundError(error)
		? createFormNotFoundError(node, formId, { itemIndex })
		: asNodeError(node, error, itemIndex);
}

/**
 * The error of the first invalid item, which lists all of them, each text once. If all items are invalid for the
 * same reason, such as a parameter without an expression, the reason is the error.
 *
 * @param invalid at least one item with its error
 * @param total how many items the run has
 */
export function createInvalidItemsError(
	invalid: ReadonlyArray<{ item: InputItem; error: NodeError }>,
	total: number,
): NodeError {
	const [{ item: first, error }] = invalid;
	const count = invalid.length;
	if (count === 1 && (total === 1 || first.row === undefined)) return error;
	const groups = Object.entries(groupBy(invalid, (one) => formatErrorText(one.error)));
	if (count === total && groups.length === 1) return error;
	const lines = groups.map(
		([text, same]) => `${upperFirst(nameItems(map(same, 'item')))}: ${text}`,
	);
	return createInputError(error.node, {
		message: `${count} of ${total} items ${count === 1 ? 'is' : 'are'} invalid`,
		description: lines.join('\n'),
		itemIndex: first.index,
		failure: error.failure,
	});
}

/** How many items a run has, and those that were or may have been sent. */
type Progress = { total: number; sent: ReadonlyMap<number, InputItem> };

/**
 * The error that stops the node, for its item. It says what a person must know before the items are run again.
 * A copy: items can share a request, and with it an error.
 */
export function createStopError(error: NodeError, item: InputItem, run: Progress): NodeError {
	const { n8n, index: itemIndex, endpoint } = item;
	const { message, failure } = error;
	const progress = describeProgress(run, itemIndex);
	if (error instanceof ServiceError) {
		const description = compact([error.description, progress]).join('\n');
		return error.withText({ message, description }, itemIndex);
	}
	const isUnsent = endpoint.effect.kind !== 'safe';
	// what comes after a long list of invalid items is overlooked
	const texts = [progress || (isUnsent && 'Nothing was sent.'), error.description];
	const description = compact(texts).join('\n');
	return createInputError(n8n.getNode(), { message, description, failure, itemIndex });
}

/** Which items were sent, and which may have been; the error of the item with `ownIndex` says so itself. */
function describeProgress({ total, sent }: Progress, ownIndex: number): string {
	const [taken, failed] = partition([...sent.values()], ({ outcome }) => outcome?.output);
	const unclear = failed.filter(({ index }) => index !== ownIndex);
	const were = taken.length === 1 ? 'was' : 'were';
	const texts = [
		taken.length > 0 &&
			`${taken.length} of the ${total} items ${were} already sent (${nameItems(taken)}). Run only the other items again.`,
		unclear.length > 0 &&
			`May or may not have been sent: ${nameItems(unclear)}. Check before you run this again.`,
	];
	return compact(texts).join(' ');
}

/** Such as "items 0 to 5, 7", by the indexes that n8n shows; "rows 2 to 7" if all items come from a sheet. */
function nameItems(items: readonly InputItem[]): string {
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
export function formatErrorText({ message, description }: NodeError): string {
	const details = description ? ` ${description.replaceAll('\n', ' ')}` : '';
	return asSentence(message) + details;
}
