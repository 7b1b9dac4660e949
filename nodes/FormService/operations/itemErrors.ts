import { uniq } from 'lodash';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IDataObject, IExecuteSingleFunctions } from 'n8n-workflow';
import { getAccount } from '../api/account';
import { endpoints, targetOf } from '../api/endpoints';
import { asSentence, inputError, NotSent, ServiceError } from '../api/errors';
import { listRecords } from '../api/service';
import { chosenName, formNamed, InvalidFormId, isFormName, noSuchForm } from '../parameters/formId';
import { readOnce, RecordNotFound } from './operation';
import type { CheckedItem, Item, Outcome, Run } from './run';

/** The errors of items, beyond the errors of requests. */

export type NodeError = NodeApiError | NodeOperationError;

/**
 * Whether an error is about the item itself, so that it is listed with those of the other items: its
 * parameters are invalid, or its form does not exist.
 */
export function isInvalidItem(error: unknown): boolean {
	if (error instanceof NodeApiError) return error.httpCode === '404';
	return error instanceof NodeOperationError && !(error instanceof NotSent);
}

/** The error of an item of a node that continues, if the item was not sent because of this reason. */
export function explainStop(n8n: IExecuteSingleFunctions, reason: unknown): NodeOperationError {
	const why = reason instanceof Error ? `: ${reason.message}` : '';
	return inputError(n8n.getNode(), {
		message: `This item was not sent${why}`,
		itemIndex: n8n.getItemIndex(),
	});
}

/**
 * The error of the first invalid item, which lists all of them and says what of the run was sent before, so
 * that it isn't sent twice. Undefined if no item is invalid.
 */
export function listInvalidItems(
	{ sent, total }: Run,
	checked: ReadonlyMap<Item, CheckedItem | Outcome>,
): { item: Item; error: NodeError } | undefined {
	const invalid = [...checked].flatMap(([item, one]) =>
		'error' in one && isInvalidItem(one.error) ? [{ item, error: one.error }] : [],
	);
	if (invalid.length === 0) return undefined;
	const [{ item, error }] = invalid;
	const whatWasSent =
		sent === 0
			? 'Nothing was sent.'
			: `The first ${sent} of the ${total} items were already sent, in earlier batches. Leave them out when you run this again.`;
	const texts = invalid.map((one) => describeError(one.error));
	const [message, ...lines] =
		uniq(texts).length === 1
			? [error.message, whereIsError(invalid.length, item, total), error.description ?? '']
			: [
					`${invalid.length} of ${total} rows have errors`,
					...invalid
						.slice(0, MAX_ROWS)
						.map((one, index) => `${nameRow(one.item)}: ${texts[index]}`),
					invalid.length > MAX_ROWS ? `… and ${invalid.length - MAX_ROWS} more.` : '',
				];
	const description = [whatWasSent, ...lines].filter((line) => line !== '').join('\n');
	const { node, failure } = error;
	const itemIndex = item.n8n.getItemIndex();
	return { item, error: inputError(node, { message, description, failure, itemIndex }) };
}

/** The most rows that an error lists. */
const MAX_ROWS = 50;

/** n8n itself shows the index of an item beside an error. */
function nameRow({ row, n8n }: Item): string {
	return `Row ${row} (item ${n8n.getItemIndex()})`;
}

function whereIsError(count: number, item: Item, total: number): string {
	if (total === 1) return '';
	return count === 1
		? `${nameRow(item)} has this error.`
		: `${count} of ${total} rows have this error, ${nameRow(item).replace('Row', 'row')} is the first.`;
}

function describeError({ message, description }: NodeError): string {
	const details = description ? ` ${description.replaceAll('\n', ' ')}` : '';
	return asSentence(message) + details;
}

/**
 * A more helpful error for a form that does not exist: the error names a form that was chosen from the
 * list, and gives the ID for a name that was entered in its place. All other errors stay unchanged.
 */
export async function explainMissingForm(run: Run, item: Item, error: unknown): Promise<unknown> {
	const node = item.n8n.getNode();
	if (error instanceof InvalidFormId) {
		const { message, given, failure } = error;
		const forms = isFormName(given) ? await findForms(run, item) : [];
		if (forms.length === 0) return error;
		const { description } = noSuchForm(node, given, forms);
		return inputError(node, { message, description, failure });
	}
	const formId = 'prepared' in item ? item.prepared.ids?.formId : undefined;
	if (formId === undefined || !isUnknownForm(error, item)) return error;
	const isChosen = chosenName(node, formId) !== undefined;
	const forms = isChosen || !isLikeName(formId) ? [] : await findForms(run, item);
	if (!isChosen && formNamed(formId, forms) === undefined) return error;
	const { failure } = error;
	const explanation = { ...noSuchForm(node, formId, forms), failure, httpCode: '404' };
	return new ServiceError(node, explanation, item.n8n.getItemIndex());
}

function isUnknownForm(error: unknown, { endpoint }: Item): error is NodeApiError {
	const isMissing = error instanceof NodeApiError && error.httpCode === '404';
	return isMissing && endpoint.effect.noun === 'form' && !(error instanceof RecordNotFound);
}

/** Whether an ID may be a name. IDs have digits, so a request for the names is not worth it for them. */
function isLikeName(formId: string): boolean {
	return /^[A-Z][A-Za-z_-]+$/.test(formId);
}

/** All forms of the item's account, or none if they cannot be read, because another error is about to be shown. */
async function findForms({ reads }: Run, { n8n }: Item): Promise<IDataObject[]> {
	const itemIndex = n8n.getItemIndex();
	try {
		const account = await getAccount(n8n, itemIndex);
		const context = { n8n, account, urgency: 'bulk', itemIndex } as const;
		const target = targetOf(account, endpoints.listForms);
		return await readOnce({ context, target, reads }, listRecords);
	} catch {
		return [];
	}
}
