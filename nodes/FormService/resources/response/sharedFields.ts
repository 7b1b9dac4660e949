import {
	isAnswerable,
	type FormField,
	type AnswerableField,
	type AnswerNaming,
} from '../../api/answers/fields';
import { createTarget, endpoints } from '../../api/endpoints';
import { fetchFields } from '../../api/service';
import { fetchOncePerRun, type ItemRequest } from '../../execution/operation';

/** Fetches the fields of a form, with their answer keys: one list for all items of a run. */
export async function fetchSharedFields(
	request: ItemRequest,
	formId: string,
	{ answerKeys, columns }: AnswerNaming,
): Promise<FormField[]> {
	const target = createTarget(request.context.account, endpoints.listFields, { formId });
	const naming = { answerKeys, columns };
	return await fetchOncePerRun(
		{ ...request, target },
		async (context) => await fetchFields(context, formId, naming),
		naming,
	);
}

/** Fetches the fields of a form that can be answered through the API: one list for all items of a run. */
export async function fetchSharedAnswerableFields(
	request: ItemRequest,
	formId: string,
): Promise<AnswerableField[]> {
	const target = createTarget(request.context.account, endpoints.listFields, { formId });
	return await fetchOncePerRun({ ...request, target }, async (context) =>
		(await fetchFields(context, formId)).filter(isAnswerable),
	);
}
