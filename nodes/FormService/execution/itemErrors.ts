import { compact, uniq, upperFirst } from 'lodash';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { getAccount } from '../api/account';
import { createTarget, endpoints } from '../api/endpoints';
import { asNodeError, asSentence, createInputError, NotSent, ServiceError } from '../api/errors';
import { listRecords } from '../api/service';
import { describeMissingForm, isFormMissing } from '../parameters/formId';
import { InvalidFormId } from '../parameters/input';
import { readOnce } from './operation';
import type { Item, Reads } from './operation';

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

/**
 * A more helpful error for a form that does not exist, see `describeMissingForm`. All other errors stay
 * unchanged.
 */
export async function explainMissingForm(
	reads: Reads,
	item: Item,
	error: unknown,
): Promise<unknown> {
	const given = getMissingFormId(item, error);
	if (given === undefined) return error;
	const node = item.n8n.getNode();
	const forms = FORM_NAME.test(given) ? await findForms(reads, item) : [];
	const entered = item.n8n.getNodeParameter('formId', '', { extractValue: true });
	const baseUrl = String(item.composed.baseURL);
	const explanation = describeMissingForm(node, given, forms, entered, baseUrl);
	if (explanation === undefined) return error;
	const { failure } = error as NodeError;
	if (error instanceof InvalidFormId) return createInputError(node, { ...explanation, failure });
	return new ServiceError(node, { ...explanation, failure, httpCode: '404' }, item.index);
}

/** What can be a form's name: several words, or one that begins with a capital letter and has no digits. */
const FORM_NAME =
	/^(?=.*\p{L}{3})[\p{L}\p{N}&?!.,'-]+(?: [\p{L}\p{N}&?!.,'-]+)+$|^[A-Z][A-Za-z_-]+$/u;

/** What was given for a form that does not exist; undefined if the error is another one. */
function getMissingFormId(item: Item, error: unknown): string | undefined {
	if (error instanceof InvalidFormId) return error.given;
	return isFormMissing(error) && 'prepared' in item ? item.prepared.ids?.formId : undefined;
}

/** All forms of the item's account, or none if they cannot be read, because another error is about to be shown. */
async function findForms(reads: Reads, { n8n, index: itemIndex }: Item): Promise<IDataObject[]> {
	try {
		const account = await getAccount(n8n, itemIndex);
		const context = { n8n, account, urgency: 'bulk', itemIndex } as const;
		const target = createTarget(account, endpoints.listForms);
		return await readOnce({ context, target, reads }, listRecords);
	} catch {
		return [];
	}
}
