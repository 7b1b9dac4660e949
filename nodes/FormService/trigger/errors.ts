import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { Failure, IDataObject, INode } from 'n8n-workflow';
import { CHECK_VERSION, inputError, serviceError, timeInWords } from '../api/errors';

/** The first poll has to read all there is, or what it did not see would count as new. */
export function cutAtFirst(node: INode, what: 'responses' | 'forms') {
	return cutShort(
		node,
		`Couldn't read all ${what} on the first check`,
		`The trigger has to know all ${what} before it can tell which are new.`,
	);
}

/** What is new may be on the pages that were not read. */
export function cutInVain(node: INode) {
	return cutShort(
		node,
		"Couldn't read all responses; none of those read are new",
		'The next check begins at the first page again.',
	);
}

/** No item can be made with a part of the fields: its columns would differ from those of the others. */
export function cutFields(node: INode) {
	return cutShort(
		node,
		"Couldn't read all fields of the form",
		'Its responses wait until all fields have been read.',
	);
}

function cutShort(node: INode, message: string, consequence: string) {
	return serviceError(node, {
		message,
		description: `No time, or no request of the day, was left for further pages. ${consequence} Raise 'Requests per Day', ask your Form Service administrator for larger pages, or delete responses that are no longer needed.`,
		failure: { cause: 'temporarily-unavailable' },
	});
}

/** No reply came in the time that n8n gives a poll. */
export function tooSlow(node: INode) {
	return serviceError(node, {
		message: "The service didn't answer before n8n's poll timeout",
		description: 'The next check tries again.',
		failure: { cause: 'temporarily-unavailable' },
	});
}

/** Its turn in the account's queue did not come in the time that n8n gives a poll. */
export function queueTooLong(node: INode) {
	return serviceError(node, {
		message:
			"This account's per-minute limit is used up; the check was skipped and will be retried",
		description:
			'Other nodes or tools that use this account have sent too many requests in this minute.',
		failure: { cause: 'rate-limited' },
	});
}

/** A trigger that is switched on needs a first poll, and there is no request left for it. */
export function budgetUsedUp(node: INode, freeAt: number) {
	return inputError(node, {
		message: "The triggers on this account have used up their 'Requests per Day'",
		description: `Publish the workflow again after ${timeInWords(freeAt)}, or raise 'Requests per Day' in the options of the trigger.`,
		failure: { cause: 'quota-exhausted', resetsAtEpochMs: freeAt },
	});
}

/** Names of attributes that an error lists at most. */
const MAX_NAMES = 30;

/** A response that could not be told from the next. */
export function withoutIdentity(node: INode, record: IDataObject) {
	const names = Object.keys(record).slice(0, MAX_NAMES).join(', ') || 'nothing at all';
	return serviceError(node, {
		message: 'The service sent a response without a UUID',
		description: `It has no "uuid" or "id" that tells it from others, only: ${names}. ${CHECK_VERSION}`,
		failure: { cause: 'configuration-invalid' },
	});
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

/** Whether it is about the account, whichever of its forms was asked for. */
export function isOfAccount(failure: Failure | undefined): boolean {
	return (
		failure?.cause === 'credential-invalid' ||
		failure?.cause === 'rate-limited' ||
		failure?.cause === 'quota-exhausted'
	);
}
