import {
	isAnswerable,
	parseFields,
	type FormField,
	type AnswerableField,
	type AnswerNaming,
} from '../../api/answers/fields';
import { createTarget, endpoints } from '../../api/endpoints';
import { listRecords } from '../../api/service';
import { createSharedFetch, type ItemSender } from '../../execution/operation';

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
	sender: ItemSender,
	formId: string,
	{ answerKeys, columns }: AnswerNaming,
): Promise<FormField[]> {
	return await fetchFieldsOnce(createFieldsSender(sender, formId), { answerKeys, columns });
}

/**
 * Fetches the fields of a form that take an answer. `answerableFields` has only the fields with a valid ID,
 * because a request names a field by its ID.
 */
export async function fetchSharedAnswerableFields(
	sender: ItemSender,
	formId: string,
): Promise<{ fields: FormField[]; answerableFields: AnswerableField[] }> {
	return await fetchAnswerableOnce(createFieldsSender(sender, formId));
}

const fetchFieldsOnce = createSharedFetch(async (context, target, naming: AnswerNaming) =>
	parseFields(await listRecords(context, target), naming),
);

const fetchAnswerableOnce = createSharedFetch(async (context, target) => {
	const fields = parseFields(await listRecords(context, target));
	return { fields, answerableFields: fields.filter(isAnswerable) };
});

/** Returns a copy of a sender, for the request that lists the fields of a form. */
function createFieldsSender(sender: ItemSender, formId: string): ItemSender {
	const { account } = sender.context;
	return { ...sender, target: createTarget(account, endpoints.listFields, { formId }) };
}
