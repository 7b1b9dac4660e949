import type { IDataObject } from 'n8n-workflow';
import { serviceError } from '../../api/errors';
import type { Sender } from '../../api/sender';

/**
 * The record that was looked for in a listing: forms and responses have no endpoint of their own for
 * one (specification, section 4).
 *
 * @throws NodeApiError with what to do when there is none
 */
export function existing(
	{ context, itemIndex }: Sender,
	record: IDataObject | undefined,
	absent: { message: string; description: string },
): IDataObject {
	if (record !== undefined) return record;
	throw serviceError(context.getNode(), { ...absent, httpCode: '404' }, itemIndex);
}
