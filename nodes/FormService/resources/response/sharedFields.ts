import {
	fetchFields,
	isAnswerable,
	type AnswerableField,
	type AnswerNaming,
	type FormField,
} from '../../answers/fields';
import { shareInRun, type ItemRequest } from '../../execution/operation';

/** Fetches the fields of a form that take an answer, once for all items of the run. */
export async function fetchSharedFields(
	request: ItemRequest,
	formId: string,
	{ answerKeys, columns }: AnswerNaming,
): Promise<FormField[]> {
	const naming = { answerKeys, columns };
	const key = `fields of ${formId} ${JSON.stringify(naming)}`;
	return await shareInRun(
		request,
		key,
		async (context) => await fetchFields(context, formId, naming),
	);
}

/**
 * Fetches the fields that a response can be added with: a request names a field by its ID. The answer key of a
 * field is its column with the option One Column per Field.
 */
export async function fetchAnswerableFields(
	request: ItemRequest,
	formId: string,
): Promise<AnswerableField[]> {
	return await shareInRun(request, `answerable fields of ${formId}`, async () => {
		const fields = await fetchSharedFields(request, formId, { columns: true });
		return fields.filter(isAnswerable);
	});
}
