import {
	isAnswerable,
	parseFields,
	type FormField,
	type AnswerableField,
	type AnswerNaming,
} from '../../answers/fields';
import { createTarget, endpoints } from '../../api/endpoints';
import { fetchRecords } from '../../api/replies/listReader';
import { createSharedFetch, type ItemRequest } from '../../execution/operation';

/*
 * How operations fetch the fields of a form. The items of a run share a list of fields, so the index of the
 * fields is created once.
 */

/**
 * Fetches the fields of a form that take an answer.
 *
 * @param naming the options that decide the answer keys of the fields
 */
export async function fetchSharedFields(
	request: ItemRequest,
	formId: string,
	{ answerKeys, columns }: AnswerNaming,
): Promise<FormField[]> {
	return await fetchFieldsOnce(createFieldsRequest(request, formId), { answerKeys, columns });
}

/**
 * Fetches the fields of a form that take an answer. `answerableFields` has only the fields with a valid ID,
 * because a request names a field by its ID.
 */
export async function fetchSharedAnswerableFields(
	request: ItemRequest,
	formId: string,
): Promise<{ fields: FormField[]; answerableFields: AnswerableField[] }> {
	return await fetchAnswerableOnce(createFieldsRequest(request, formId));
}

const fetchFieldsOnce = createSharedFetch(async (context, target, naming: AnswerNaming) =>
	parseFields(await fetchRecords(context, target), naming),
);

const fetchAnswerableOnce = createSharedFetch(async (context, target) => {
	const fields = parseFields(await fetchRecords(context, target));
	return { fields, answerableFields: fields.filter(isAnswerable) };
});

/** Returns a request for the fields of a form, with the context of an item. */
function createFieldsRequest(request: ItemRequest, formId: string): ItemRequest {
	const { account } = request.context;
	return { ...request, target: createTarget(account, endpoints.listFields, { formId }) };
}
