import type { IDataObject, ILoadOptionsFunctions } from 'n8n-workflow';
import { endpoints, targetOf } from '../api/endpoints';
import type { Sender } from '../api/sender';
import { listRecords } from '../api/service';

/** The ID in the Form parameter of the node that is being edited; empty where none is chosen. */
export function chosenForm(context: ILoadOptionsFunctions): string {
	const given = context.getCurrentNodeParameter('formId', { extractValue: true });
	return typeof given === 'string' || typeof given === 'number' ? String(given).trim() : '';
}

/**
 * How long the editor's lists are given again: no more than one request a minute, however fast a
 * person types. After a failure, typing on does not ask again, but a person who looks again does.
 */
const LIFETIMES = { found: 60_000, failed: 10_000 };

/** The forms for a list in the editor: what was fetched within the last minute is given again. */
export async function cachedForms(sender: Sender): Promise<IDataObject[]> {
	const target = targetOf(sender.account, endpoints.listForms);
	return await listRecords(sender, target, { lifetimes: LIFETIMES });
}

/** The fields of one form for the editor, kept like the forms. */
export async function cachedFields(sender: Sender, formId: string): Promise<IDataObject[]> {
	const target = targetOf(sender.account, endpoints.listFields, { formId });
	return await listRecords(sender, target, { lifetimes: LIFETIMES });
}

/** The responses of one form for the editor, kept like the forms. */
export async function cachedResponses(sender: Sender, formId: string): Promise<IDataObject[]> {
	const target = targetOf(sender.account, endpoints.listResponses, { formId });
	return await listRecords(sender, target, { lifetimes: LIFETIMES });
}
