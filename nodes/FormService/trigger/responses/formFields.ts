import { parseFields, type FormField } from '../../api/answers/fields';
import { clock } from '../../api/clock';
import { createTarget, endpoints } from '../../api/endpoints';
import { asNodeError, isCanceled } from '../../api/errors';
import { fetchWholeList } from '../fetchList';
import type { PollContext } from '../pollContext';
import { hasElapsed, HOUR_MS } from '../requestBudget';

/**
 * Returns the fields of a form, which are fetched once an hour, and how many requests that took. If they cannot
 * be fetched again, the earlier fields are used.
 *
 * @param forceRefresh whether the fields do not fit, so that they are fetched again, once in the hour
 * @throws NodeApiError if the fields were never fetched and cannot be fetched now
 */
export async function fetchFormFields(
	context: PollContext,
	formId: string,
	forceRefresh = false,
): Promise<{ fields: FormField[]; requests: number }> {
	const { cache, parameters, request } = context;
	const last = cache.fields.get(formId);
	const nowMs = clock.now();
	const isRecent = last !== undefined && !hasElapsed(last.fetchedAtMs, HOUR_MS, nowMs);
	if (isRecent && (!forceRefresh || last.wasRefetched)) return { fields: last.fields, requests: 0 };
	const target = createTarget(request.account, endpoints.listFields, { formId });
	const times = { fetchedAtMs: isRecent ? last.fetchedAtMs : nowMs, wasRefetched: isRecent };
	try {
		const { records, requests } = await fetchWholeList(context, target, 'fields');
		const fields = parseFields(records, parameters.output);
		cache.fields.set(formId, { ...times, fields });
		return { fields, requests };
	} catch (cause) {
		const error = asNodeError(request.n8n.getNode(), cause);
		if (last === undefined || isCanceled(cause)) throw error;
		const text = `The fields of form ${formId} could not be read again: ${error.message}`;
		request.n8n.logger.warn(text);
		cache.fields.set(formId, { ...last, ...times });
		return { fields: last.fields, requests: 1 };
	}
}
