import type { IDataObject, INode } from 'n8n-workflow';
import { CHECK_VERSION, inputError, ServiceError, timeInWords } from '../api/errors';

/** What n8n's log says where nothing has failed. */
export const LOG = {
	noFields:
		'New responses wait for the fields of their form, which could not be read: the time of the poll or the daily allowance was used up.',
	cut: 'Not all pages of responses could be read: the time of the poll or the daily allowance was used up.',
	inDoubt:
		"the list has changed in other ways than by new responses at one end. The whole list is read as soon as 'Requests per Day' permits; until then, new responses are still delivered.",
	waits:
		"A poll is due, but the triggers on this account have used up their 'Requests per Day'. The poll follows as soon as enough requests are available.",
	queued:
		'The poll was skipped: other nodes have used up the per-minute limit of this account. The next poll tries again.',
} as const;

/** What has to be read to its end, and why. */
const CUT = {
	firstForms: {
		message: "Couldn't read all forms on the first poll",
		reason: 'The trigger must know all forms before it can recognize new ones.',
	},
	firstResponses: {
		message: "Couldn't read all responses on the first poll",
		reason: 'The trigger must know all responses before it can recognize new ones.',
	},
	/** New responses may be on the pages that were not read. */
	inVain: {
		message: "Couldn't read all responses, and those that were read are not new",
		reason: 'The next poll starts at the first page again.',
	},
	/** Items that are made with a part of the fields would have other columns than the rest. */
	fields: {
		message: "Couldn't read all fields of the form",
		reason: 'Its responses wait until all fields have been read.',
	},
} as const;

/** A listing that was not read to its end, although it has to be. */
export function cutShort(node: INode, what: keyof typeof CUT) {
	const { message, reason } = CUT[what];
	return new ServiceError(node, {
		message,
		description: `The time of the poll or 'Requests per Day' was used up before all pages were read. ${reason} Raise 'Requests per Day', ask your Form Service administrator for larger pages, or delete responses that are no longer needed.`,
		failure: { cause: 'temporarily-unavailable' },
	});
}

/** No reply came before the end of the time that n8n gives a poll. */
export function tooSlow(node: INode) {
	return new ServiceError(node, {
		message: "The service didn't answer before n8n's poll timeout",
		description: 'The next poll tries again.',
		failure: { cause: 'temporarily-unavailable' },
	});
}

/** The request's turn in the account's queue did not come before n8n's poll timeout. */
export function queueTooLong(node: INode) {
	return new ServiceError(node, {
		message: "This account's per-minute limit is used up; the poll was skipped and will be retried",
		description:
			'Other nodes or tools that use this account have sent too many requests in this minute.',
		failure: { cause: 'rate-limited' },
	});
}

/** A trigger that is switched on needs a first poll, and no request of the day is left for it. */
export function allowanceUsedUp(node: INode, freeAt: number) {
	return inputError(node, {
		message: `The triggers on this account have used up their 'Requests per Day' until ${timeInWords(freeAt)}`,
		description:
			"Publish the workflow again after this time, or raise 'Requests per Day' in the options of the trigger.",
		failure: { cause: 'quota-exhausted', resetsAtEpochMs: freeAt },
	});
}

/** A condition names a field that the form does not have. */
export function wrongCondition(
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
export function withoutIdentity(node: INode, record: IDataObject) {
	const names = Object.keys(record).slice(0, MAX_NAMES).join(', ') || 'none';
	return new ServiceError(node, {
		message: 'The service sent a response without a UUID',
		description: `The response has no valid "uuid" or "id". Its attributes: ${names}. ${CHECK_VERSION}`,
		failure: { cause: 'configuration-invalid' },
	});
}
