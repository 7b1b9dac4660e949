import { parseFields, parseInputFields } from '../../api/answers/fields';
import type { FormField, InputField, Naming } from '../../api/answers/fields';
import { createTarget, endpoints } from '../../api/endpoints';
import type { RequestContext } from '../../api/requestContext';
import { listRecords } from '../../api/service';
import { readOnce } from '../../execution/operation';
import type { ItemRequest } from '../../execution/operation';

/** The fields of a form with the names that their answers have in items: one list for all items of a run. */
export async function readFields(
	request: ItemRequest,
	formId: string,
	{ answerKeys, columns }: Naming = {},
): Promise<FormField[]> {
	const target = createTarget(request.context.account, endpoints.listFields, { formId });
	const naming = { answerKeys, columns };
	return await readOnce(
		{ ...request, target },
		async (context) => parseFields(await listRecords(context, target), naming),
		naming,
	);
}

/** The fields of a form that can be answered through the API. */
export async function readInputFields(request: ItemRequest, formId: string): Promise<InputField[]> {
	const target = createTarget(request.context.account, endpoints.listFields, { formId });
	const read = async (context: RequestContext) =>
		parseInputFields(await listRecords(context, target));
	return await readOnce({ ...request, target }, read);
}
