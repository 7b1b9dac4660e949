import {
	isAnswerable,
	type FormField,
	type AnswerableField,
	type AnswerNaming,
} from '../../api/answers/fields';
import { createTarget, endpoints } from '../../api/endpoints';
import { fetchFields } from '../../api/service';
import { fetchOncePerRun, type ItemRequest } from '../../execution/operation';

/**
 * Fetches the fields of a form. The items of a run share the result.
 *
 * @param naming the options that decide the answer keys of the fields
 */
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

/**
 * Fetches the answerable fields of a form: the fields that the API accepts answers for. The items of a run
 * share the result.
 */
export async function fetchSharedAnswerableFields(
	request: ItemRequest,
	formId: string,
): Promise<AnswerableField[]> {
	const target = createTarget(request.context.account, endpoints.listFields, { formId });
	return await fetchOncePerRun({ ...request, target }, async (context) =>
		(await fetchFields(context, formId)).filter(isAnswerable),
	);
}
