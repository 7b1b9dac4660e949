import { pick } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type { ResponseOutput } from '../../api/answers/responseItem';
import { removeSecrets } from '../../api/records';
import type { FormEvent } from '../../parameters/triggerEvents';
import type { ListedForm } from '../formNames';
import type { OutputItem } from '../pollContext';

/** The attributes of a form in a simplified item, beside `form`, which has the ID and the name. */
const FORM_EVENT_ATTRIBUTES = ['slug', 'description', 'is_closed', 'created_at', 'updated_at'];

/**
 * Creates the item of an event: the attributes of the form, then `changed`, `event` and `form`.
 *
 * @param changed the names of the attributes that have changed
 */
export function createFormItem(
	event: FormEvent,
	{ id, name, record }: { id: string; name: string | null; record: ListedForm['record'] },
	{ simplify }: ResponseOutput,
	changed?: readonly string[],
): OutputItem {
	const selected = simplify ? pick(record, FORM_EVENT_ATTRIBUTES, changed ?? []) : record;
	const json: IDataObject = {
		...removeSecrets(selected),
		...(changed && { changed: [...changed] }),
		event,
		form: { id, name },
	};
	return { record, item: { json } };
}
