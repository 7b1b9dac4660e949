import {
	isAnswerable,
	parseFields,
	type FormField,
	type AnswerableField,
	type AnswerNaming,
} from '../../api/answers/fields';
import { createTarget, endpoints } from '../../api/endpoints';
import { listRecords } from '../../api/service';
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
	return await fetchFieldsOnce(toFields(request, formId), { answerKeys, columns });
}

/**
 * Fetches the fields of a form that take an answer. `answerableFields` are those that the API accepts answers
 * for.
 */
export async function fetchSharedAnswerableFields(
	request: ItemRequest,
	formId: string,
): Promise<{ fields: FormField[]; answerableFields: AnswerableField[] }> {
	return await fetchAnswerableOnce(toFields(request, formId));
}

const fetchFieldsOnce = createSharedFetch(async (context, target, naming: AnswerNaming) =>
	parseFields(await listRecords(context, target), naming),
);

const fetchAnswerableOnce = createSharedFetch(async (context, target) => {
	const fields = parseFields(await listRecords(context, target));
	return { fields, answerableFields: fields.filter(isAnswerable) };
});

/** Returns a request for the fields of a form. */
function toFields(request: ItemRequest, formId: string): ItemRequest {
	const { account } = request.context;
	return { ...request, target: createTarget(account, endpoints.listFields, { formId }) };
}
