import {
	parseFields,
	parseAnswerableFields,
	type FormField,
	type AnswerableField,
	type AnswerNaming,
} from '../../api/answers/fields';
import { createTarget, endpoints } from '../../api/endpoints';
import type { RequestContext } from '../../api/requestContext';
import { listRecords } from '../../api/service';
import type { ItemRequest } from '../../execution/operation';
import { fetchOncePerRun } from '../../execution/sharedData';

/** The fields of a form with the names that their answers have in items: one list for all items of a run. */
export async function fetchFields(
	request: ItemRequest,
	formId: string,
	{ answerKeys, columns }: AnswerNaming = {},
): Promise<FormField[]> {
	const target = createTarget(request.context.account, endpoints.listFields, { formId });
	const naming = { answerKeys, columns };
	return await fetchOncePerRun(
		{ ...request, target },
		async (context) => parseFields(await listRecords(context, target), naming),
		naming,
	);
}

/** The fields of a form that can be answered through the API. */
export async function fetchAnswerableFields(
	request: ItemRequest,
	formId: string,
): Promise<AnswerableField[]> {
	const target = createTarget(request.context.account, endpoints.listFields, { formId });
	const read = async (context: RequestContext) =>
		parseAnswerableFields(await listRecords(context, target));
	return await fetchOncePerRun({ ...request, target }, read);
}
