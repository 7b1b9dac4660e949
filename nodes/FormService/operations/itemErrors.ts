import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IDataObject, IExecutePaginationFunctions } from 'n8n-workflow';
import { getAccount } from '../api/account';
import { endpoints, targetOf } from '../api/endpoints';
import { asNodeError, inputError, ServiceError } from '../api/errors';
import { listRecords } from '../api/service';
import type { RequestContext } from '../api/requestContext';
import { chosenName, formNamed, InvalidFormId, isFormName, noSuchForm } from '../parameters/formId';
import type { ItemRun, Run } from './itemRun';
import { RecordNotFound } from './operation';
import type { ItemRequest } from './operation';

/** The errors of items, beyond the errors of requests. */

type NodeError = NodeApiError | NodeOperationError;

/** The error of an item that was not sent because the run stopped for this reason. */
export function notSent(n8n: IExecutePaginationFunctions, reason: unknown): NodeError {
	const why = reason instanceof Error ? `: ${reason.message}` : '';
	return inputError(n8n.getNode(), {
		message: `This item was not sent${why}`,
		description: 'Fix the first failed item, then run this item again.',
		itemIndex: n8n.getItemIndex(),
	});
}

/**
 * An invalid item's error, which also says which other items of the run are invalid, and what of the run
 * was sent before, so that it isn't sent twice.
 */
export async function invalidItem(
	n8n: IExecutePaginationFunctions,
	itemRun: ItemRun,
	problem: unknown,
): Promise<NodeError> {
	const { run } = itemRun;
	const itemIndex = n8n.getItemIndex();
	const isContinued = n8n.continueOnFail();
	const isAlone = isContinued || run.total === 1;
	const wrong = isAlone ? [{ row: itemIndex + 1, problem }] : run.invalid;
	const hasName = wrong.some((one) => isNameOfForm(one.problem));
	const forms = hasName ? await formsOfAccount(n8n, itemRun) : [];
	const error = withFormId(n8n, problem, forms);
	const rows = wrong.map((one) => ({ ...one, error: withFormId(n8n, one.problem, forms) }));
	const lines = [
		isContinued ? 'This item was not sent.' : whatWasSent(run),
		...(isAlone ? [error.description] : invalidRows(rows, run.total)),
	];
	const { message, failure, node } = error;
	return inputError(node, { message, description: lines.join('\n').trim(), failure, itemIndex });
}

/** Whether an item may have the name of a form in place of the ID. */
function isNameOfForm(problem: unknown): problem is InvalidFormId {
	return problem instanceof InvalidFormId && isFormName(problem.given);
}

/** The error of an item. If the item has the name of a form in place of the ID, the error gives the ID. */
function withFormId(
	n8n: IExecutePaginationFunctions,
	problem: unknown,
	forms: readonly IDataObject[],
): NodeError {
	const error = asNodeError(n8n.getNode(), problem, n8n.getItemIndex());
	if (!isNameOfForm(problem) || forms.length === 0) return error;
	const { description } = noSuchForm(error.node, problem.given, forms);
	const { message, failure, node } = error;
	return inputError(node, { message, description, failure });
}

function whatWasSent({ sent, total }: Run): string {
	if (sent === 0) return 'Nothing was sent.';
	return `The first ${sent} of the ${total} items were already sent, in earlier batches. Leave them out when you run this again.`;
}

/** The most rows that an error lists. */
const MAX_ROWS = 50;

function invalidRows(
	invalid: ReadonlyArray<{ row: number; error: NodeError }>,
	total: number,
): string[] {
	const rows = invalid.slice(0, MAX_ROWS).map(({ row, error: { message, description } }) => {
		const details = description ? `: ${description.replaceAll('\n', ' ')}` : '';
		return `Row ${row}: ${message}${details}`;
	});
	const count = invalid.length === 1 ? '1 row is' : `${invalid.length} of ${total} rows are`;
	const more = invalid.length > MAX_ROWS ? [`… and ${invalid.length - MAX_ROWS} more.`] : [];
	return [`${count} wrong:`, ...rows, ...more];
}

/**
 * A more helpful error for a form that does not exist: the error names a form that was chosen from the
 * list, and gives the ID for a name that was entered in its place. All other errors stay unchanged.
 *
 * @param formId the ID in the request's path, if it is about a form
 */
export async function aboutForm(
	error: unknown,
	{ context, target, run }: ItemRequest,
	formId: string | undefined,
): Promise<unknown> {
	const node = context.n8n.getNode();
	const isUnknown = error instanceof NodeApiError && error.httpCode === '404';
	const isForm = target.endpoint.effect.noun === 'form' && !(error instanceof RecordNotFound);
	if (!isUnknown || !isForm || formId === undefined) return error;
	const isChosen = chosenName(node, formId) !== undefined;
	const forms = isChosen || !isLikeName(formId) ? [] : await formsOf(context, run);
	if (!isChosen && formNamed(formId, forms) === undefined) return error;
	const { failure } = error;
	const explanation = { ...noSuchForm(node, formId, forms), failure, httpCode: '404' };
	return new ServiceError(node, explanation, context.itemIndex);
}

/** Whether an ID may be a name. IDs have digits, so a request for the names is not worth it for them. */
function isLikeName(formId: string): boolean {
	return /^[A-Z][A-Za-z_-]+$/.test(formId);
}

/** The forms of an item's account; none if its credential cannot be used. */
async function formsOfAccount(
	n8n: IExecutePaginationFunctions,
	itemRun: ItemRun,
): Promise<IDataObject[]> {
	const itemIndex = n8n.getItemIndex();
	const account = await getAccount(n8n, itemIndex).catch(() => undefined);
	if (account === undefined) return [];
	return await formsOf({ n8n, account, urgency: 'bulk', itemIndex }, itemRun);
}

/** All forms, or none if they cannot be read, because another error is about to be shown. */
async function formsOf(context: RequestContext, itemRun: ItemRun): Promise<IDataObject[]> {
	const target = targetOf(context.account, endpoints.listForms);
	return await itemRun.readOnce({ context, target }, listRecords).catch(() => []);
}
