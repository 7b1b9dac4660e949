import type { IDataObject, ILoadOptionsFunctions } from 'n8n-workflow';
import { endpoints, targetOf } from '../api/endpoints';
import type { RequestContext } from '../api/requestContext';
import { listRecords } from '../api/service';
import { formIdIn } from '../parameters/formId';

/** The ID in the Form parameter of the node that is being edited; empty where none is chosen. */
export function chosenForm(n8n: ILoadOptionsFunctions): string {
	const given = n8n.getCurrentNodeParameter('formId', { extractValue: true });
	if (typeof given !== 'string' && typeof given !== 'number') return '';
	return formIdIn(n8n.getCurrentNodeParameter('formId'), String(given).trim());
}

/**
 * How long the editor's lists are kept: one request a minute, however fast a person types. A failure is
 * kept for a shorter time, so that opening the list again asks again.
 */
const LIFETIMES = { found: 60_000, failed: 10_000 };

/** The forms for a list in the editor, as fetched within the last minute. */
export async function cachedForms(context: RequestContext): Promise<IDataObject[]> {
	const target = targetOf(context.account, endpoints.listForms);
	return await listRecords(context, target, { lifetimes: LIFETIMES });
}

/** The fields of one form for the editor, kept like the forms. */
export async function cachedFields(
	context: RequestContext,
	formId: string,
): Promise<IDataObject[]> {
	const target = targetOf(context.account, endpoints.listFields, { formId });
	return await listRecords(context, target, { lifetimes: LIFETIMES });
}

/** The responses of one form for the editor, kept like the forms. */
export async function cachedResponses(
	context: RequestContext,
	formId: string,
): Promise<IDataObject[]> {
	const target = targetOf(context.account, endpoints.listResponses, { formId });
	return await listRecords(context, target, { lifetimes: LIFETIMES });
}
