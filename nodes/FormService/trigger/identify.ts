import type { IDataObject, INode } from 'n8n-workflow';
import { serviceError } from '../api/errors';
import { identityOf } from '../api/records';
import { fingerprint } from './fingerprint';
import type { Listed } from './seen';

/** A response as it came, with what the trigger goes by. */
export type Response = Listed & { record: IDataObject };

/** Names of attributes that an error lists at most. */
const MAX_KEYS = 30;

/**
 * Finds out which responses these are, by their identity alone.
 *
 * @throws NodeApiError when one has none: it could not be told from the next, and to leave it out
 * would lose it
 */
export function identify(node: INode, records: readonly IDataObject[]): Response[] {
	return records.map((record) => {
		const identity = identityOf(record);
		if (identity === undefined) throw withoutIdentity(node, record);
		return { fingerprint: fingerprint(identity), incomplete: isIncomplete(record), record };
	});
}

/** `is_incomplete` (specification, section 2.4) as the languages of services write a boolean. */
export function isIncomplete({ is_incomplete: value }: IDataObject): boolean {
	return value === true || value === 1 || value === '1' || value === 'true';
}

function withoutIdentity(node: INode, record: IDataObject) {
	const keys = Object.keys(record).slice(0, MAX_KEYS).join(', ') || 'nothing at all';
	return serviceError(node, {
		message: 'The service sent a response without a UUID',
		description: `It has no "uuid" or "id" that can be told from others, but ${keys}. Ask whoever runs the service whether it speaks the Form Service API, version 1.`,
		failure: { cause: 'configuration-invalid' },
	});
}
