import { uniq } from 'lodash';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { getAccount } from '../api/account';
import { endpoints, createTarget } from '../api/endpoints';
import { asSentence, createInputError, NotSent, ServiceError } from '../api/errors';
import { listRecords } from '../api/service';
import {
	getChosenName,
	findFormByName,
	InvalidFormId,
	isFormName,
	describeMissingForm,
} from '../parameters/formId';
import { readOnce } from './operation';
import type { CheckedItem, Item, NodeError, Outcome, Run } from './operation';

/** The errors of items, beyond the errors of requests. */

/**
 * Whether an error is about the item itself, so that it is listed with those of the other items: its
 * parameters or its credential are invalid, or its form does not exist.
 */
export function isInvalidItem(error: unknown): boolean {
	if (error instanceof NodeApiError) return error.httpCode === '404';
	return error instanceof NodeOperationError && !(error instanceof NotSent);
}

/** The error of an item of a node that continues, if the item was not sent because of this reason. */
export function explainStop({ n8n, index: itemIndex }: Item, reason: unknown): NodeOperationError {
	const why = reason instanceof Error ? `: ${reason.message}` : '';
	return createInputError(n8n.getNode(), { message: `This item was not sent${why}`, itemIndex });
}

/** The most rows that an error lists. */
const MAX_ROWS = 50;

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
	const isOneError = uniq(texts).length === 1;
	const rows = invalid.map((one, index) => `${nameRow(one.item)}: ${texts[index]}`);
	const rest = rows.length > MAX_ROWS ? [`… and ${rows.length - MAX_ROWS} more.`] : [];
	const listed = [...rows.slice(0, MAX_ROWS), ...rest];
	const same = [...describePlace(invalid.length, item, total), error.description];
	const description = [whatWasSent, ...(isOneError ? same : listed)].filter(Boolean).join('\n');
	const message = isOneError ? error.message : `${rows.length} of ${total} rows have errors`;
	const { node, failure } = error;
	return {
		item,
		error: createInputError(node, { message, description, failure, itemIndex: item.index }),
	};
}

/** n8n itself shows the index of an item beside an error. */
function nameRow({ row, index }: Item): string {
	return `Row ${row} (item ${index})`;
}

function describePlace(count: number, first: Item, total: number): string[] {
	if (total === 1) return [];
	const others = count === 1 ? '' : ` and ${count - 1} more of the ${total} rows`;
	return [`${nameRow(first)}${others} ${count === 1 ? 'has' : 'have'} this error.`];
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
	const given = findMissingForm(item, error);
	if (given === undefined) return error;
	const isChosen = getChosenName(node, given) !== undefined;
	const forms = isChosen || !isLikeName(given) ? [] : await findForms(run, item);
	if (!isChosen && findFormByName(given, forms) === undefined) return error;
	const { failure } = error as NodeError;
	const explanation = { ...describeMissingForm(node, given, forms), failure };
	return error instanceof InvalidFormId
		? createInputError(node, explanation)
		: new ServiceError(node, { ...explanation, httpCode: '404' }, item.index);
}

/** What was given for a form that does not exist; undefined if the error is another one. */
function findMissingForm(item: Item, error: unknown): string | undefined {
	if (error instanceof InvalidFormId) return error.given;
	const isMissing = error instanceof NodeApiError && error.httpCode === '404';
	const isForm = item.endpoint.effect.noun === 'form';
	return isMissing && isForm && 'prepared' in item ? item.prepared.ids?.formId : undefined;
}

/** Whether an ID may be a name. IDs have digits, so a request for the names is not worth it for them. */
function isLikeName(formId: string): boolean {
	return isFormName(formId) || /^[A-Z][A-Za-z_-]+$/.test(formId);
}

/** All forms of the item's account, or none if they cannot be read, because another error is about to be shown. */
async function findForms({ reads }: Run, { n8n, index: itemIndex }: Item) {
	try {
		const account = await getAccount(n8n, itemIndex);
		const context = { n8n, account, urgency: 'bulk', itemIndex } as const;
		const target = createTarget(account, endpoints.listForms);
		return await readOnce({ context, target, reads }, listRecords);
	} catch {
		return [];
	}
}
