import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { Failure, INode } from 'n8n-workflow';
import { inputError, serviceError } from '../api/errors';

/** The first look at a form has to see all of it, or what it did not see would count as new. */
export function cutAtFirst(node: INode) {
	return cutShort(
		node,
		'The responses of the form could not all be read at the first look',
		'The trigger has to know all responses before it can tell which are new.',
	);
}

/** What is new may be on the pages that were not read. */
export function cutInVain(node: INode) {
	return cutShort(
		node,
		'The responses of the form could not all be read, and none that were are new',
		'The next look begins at the first page again.',
	);
}

function cutShort(node: INode, message: string, consequence: string) {
	return serviceError(node, {
		message,
		description: `There was no time, or no request of the day, left for further pages. ${consequence} Raise Requests per Day, ask whoever runs the service for larger pages, or delete responses that are no longer needed.`,
		failure: { cause: 'temporarily-unavailable' },
	});
}

/** No reply came in the time that n8n gives a poll. */
export function tooSlow(node: INode) {
	return serviceError(node, {
		message: 'The service did not answer in the time that n8n gives a poll',
		description: 'The next look tries again.',
		failure: { cause: 'temporarily-unavailable' },
	});
}

/** Its turn in the account's queue did not come in the time that n8n gives a poll. */
export function queueTooLong(node: INode) {
	return serviceError(node, {
		message: 'Other nodes or tools have used up the requests of the minute on this account',
		description:
			'The look was not sent, since its turn did not come in the time that n8n gives a poll. The next look tries again.',
		failure: { cause: 'rate-limited' },
	});
}

/** A trigger that is switched on needs a first look, and there is no request left for it. */
export function allowanceUsedUp(node: INode, freeAt: number) {
	return inputError(node, {
		message: 'The triggers on this account have used up their Requests per Day',
		description: `Publish the workflow again after ${new Date(freeAt).toISOString()}, or raise Requests per Day in the options of the trigger.`,
		failure: { cause: 'quota-exhausted', resetsAtEpochMs: freeAt },
	});
}

/** Any error as one that n8n can show with its node. */
export function asNodeError(node: INode, error: unknown): NodeApiError | NodeOperationError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	return new NodeOperationError(node, error instanceof Error ? error : String(error));
}

/** Why an error came about, in n8n's terms. */
export function failureOf(error: unknown): Failure | undefined {
	return error instanceof NodeApiError || error instanceof NodeOperationError
		? error.failure
		: undefined;
}

/** Whether it stays so until somebody corrects the credential or the node. */
export function needsPerson(failure: Failure | undefined): boolean {
	return failure?.cause === 'credential-invalid' || failure?.cause === 'configuration-invalid';
}
