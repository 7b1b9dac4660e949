import type { IDataObject, INode } from 'n8n-workflow';
import { CHECK_VERSION, inputError, ServiceError } from '../api/errors';

/** What n8n's log says where nothing has failed. */
export const LOG = {
	waitForFields:
		'New responses wait for the fields of their form, which could not be read in the time of the poll.',
	queueIsFull:
		'The poll was skipped: other nodes have used up the per-minute limit of this account. The next poll tries again.',
} as const;

/** A list is read whole before its first entries are known; its reading takes several polls. */
export function createUnfinishedError(node: INode, what: 'fields' | 'forms') {
	return new ServiceError(node, {
		message: `Couldn't read all ${what} before n8n's poll timeout`,
		description: 'The next poll tries again.',
		failure: { cause: 'temporarily-unavailable' },
	});
}

/** No reply came before the end of the time that n8n gives a poll. */
export function createTimeoutError(node: INode) {
	return new ServiceError(node, {
		message: "Form Service didn't answer before n8n's poll timeout",
		description: 'The next poll tries again.',
		failure: { cause: 'temporarily-unavailable' },
	});
}

/** The request's turn in the account's queue did not come before n8n's poll timeout. */
export function createQueueError(node: INode) {
	return new ServiceError(node, {
		message: "This account's per-minute limit is used up; the poll was skipped and will be retried",
		description:
			'Other nodes or tools that use this account have sent too many requests in this minute.',
		failure: { cause: 'rate-limited' },
	});
}

/** A condition names a field that the form does not have. */
export function createConditionError(
	node: INode,
	{ message, description }: { message: string; description: string },
) {
	return inputError(node, {
		message,
		description: `${description} No response is lost meanwhile.`,
		failure: { cause: 'configuration-invalid' },
	});
}

/** The most names of attributes that an error lists. */
const MAX_NAMES = 30;

/** A response that could not be told from the next. */
export function createIdentityError(node: INode, record: IDataObject) {
	const names = Object.keys(record).slice(0, MAX_NAMES).join(', ') || 'none';
	return new ServiceError(node, {
		message: 'Form Service sent a response without a UUID',
		description: `The response has no valid "uuid" or "id". Its attributes: ${names}. ${CHECK_VERSION}`,
		failure: { cause: 'configuration-invalid' },
	});
}
