import { createTarget, endpoints } from '../api/endpoints';
import { fetchRecords } from '../api/replies/listReader';
import type { RequestContext } from '../api/requestContext';
import { parseFields, type AnswerNaming, type FormField } from './fields';

/** Fetches the answerable fields of a form, see `parseFields`. */
export async function fetchFields(
	context: RequestContext,
	formId: string,
	naming?: AnswerNaming,
): Promise<FormField[]> {
	const target = createTarget(context.account, endpoints.listFields, { formId });
	return parseFields(await fetchRecords(context, target), naming);
}
