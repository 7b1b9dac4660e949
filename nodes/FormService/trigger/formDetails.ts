import type { IDataObject } from 'n8n-workflow';
import { conditionsNeedFields, findUnknownFields } from '../answers/conditions';
import { parseFields, type FormField } from '../answers/fields';
import { findNamesWithoutField } from '../answers/matchAnswers';
import { clock } from '../api/clock';
import { createTarget, endpoints } from '../api/endpoints';
import { toNodeError, hasReason } from '../api/errors';
import { getFormId } from '../api/records';
import { getSelectedFormName } from '../parameters/formId';
import { fetchPagesInTime, fetchWholeList } from './fetchList';
import type { PollContext } from './pollContext';
import { hasElapsed, HOUR_MS } from './requestBudget';
import type { CachedFields, FormNames } from './triggerCache';
import { hasSeveralForms } from './triggerParameters';

/* Finds the names and the fields of forms, for items and filters. Caches both in this process. */

/** A form in the list of all forms. If the form has no name, `name` is the ID of the form. */
export type ListedForm = { id: string; name: string; record: IDataObject };

/**
 * Parses the list of all forms. Returns the forms by their IDs. If several records have the same ID, keeps the
 * first record. Leaves out a form without an ID, because the trigger cannot poll such a form.
 */
export function indexListedForms(records: readonly IDataObject[]): Map<string, ListedForm> {
	const byId = new Map<string, ListedForm>();
	for (const record of records) {
		const id = getFormId(record);
		if (id === undefined || byId.has(id)) continue;
		const { name } = record;
		byId.set(id, { id, name: typeof name === 'string' && name.trim() !== '' ? name : id, record });
	}
	return byId;
}

/**
 * Caches the names of listed forms. If the `name` of a form is its ID, the form has no name. The cached name
 * of such a form is deleted.
 */
export function cacheFormNames({ byId }: FormNames, listed: Iterable<ListedForm>): void {
	for (const { id, name } of listed) {
		if (name === id) byId.delete(id);
		else byId.set(id, name);
	}
}

/** The maximum time that items wait for the name of their form. */
const NAME_TIMEOUT_MS = 3_000;

/**
 * Finds the name of a form. Null if the name is unknown. Looks in these places, in this order:
 *
 * - the cached names of forms
 * - the Form parameter, if the user chose the form from the list
 * - the list of all forms, which is fetched at most once an hour, and only if the trigger does not poll this
 *   list anyway
 */
export async function fetchFormName(context: PollContext, formId: string): Promise<string | null> {
	const { request, cache, parameters, times } = context;
	const { n8n, account } = request;
	const { names } = cache;
	const name = names.byId.get(formId) ?? getSelectedFormName(n8n.getNode(), formId);
	const wasTriedRecently = !hasElapsed(names.fetchedAtMs, HOUR_MS, clock.now());
	if (name !== undefined || parameters.lists.forms || wasTriedRecently) return name ?? null;
	names.fetchedAtMs = clock.now();
	const target = createTarget(account, endpoints.listForms);
	const deadline = clock.timeout(NAME_TIMEOUT_MS);
	try {
		for await (const page of fetchPagesInTime(context, target, { deadline })) {
			cacheFormNames(names, indexListedForms(page.records).values());
			if (clock.now() >= times.readUntilMs) break;
		}
	} catch (error) {
		const { message } = toNodeError(n8n.getNode(), error);
		n8n.logger.info(`The names of the forms could not be read: ${message}`);
	}
	return names.byId.get(formId) ?? null;
}

/** The fields of a form, and the number of requests that the trigger sent for the fields. */
type FetchedFields = { fields: FormField[]; requests: number };

/**
 * Returns the fields of a form from the cache. Fetches the fields first in two cases:
 *
 * - The cached fields are older than an hour.
 * - A record or a filter has a new name that matches no cached field. The author may have added a field with
 *   this name.
 *
 * @throws NodeApiError if the fields cannot be fetched, and the cached fields cannot replace them
 */
export async function fetchFormFields(
	context: PollContext,
	formId: string,
	records: readonly IDataObject[],
): Promise<FetchedFields> {
	const { conditions, watch } = context.parameters;
	const result = await fetchFieldsIfOutdated(context, formId, []);
	if (result.requests > 0) return result;
	const unmatchedNames = await findNamesWithoutField(records, result.fields);
	// a trigger can watch several forms, and one of them may lack the field of a filter
	if (!hasSeveralForms(watch)) unmatchedNames.push(...findUnknownFields(conditions, result.fields));
	return await fetchFieldsIfOutdated(context, formId, unmatchedNames);
}

/**
 * Returns the cached fields of a form. If the cached fields are out of date, fetches the fields first.
 *
 * @param unmatchedNames names in answers and filters that match no cached field
 */
async function fetchFieldsIfOutdated(
	context: PollContext,
	formId: string,
	unmatchedNames: readonly string[],
): Promise<FetchedFields> {
	const { cache, parameters, request } = context;
	const last = cache.fields.get(formId);
	if (last !== undefined && isUpToDate(last, unmatchedNames)) {
		return { fields: last.fields, requests: 0 };
	}
	const target = createTarget(request.account, endpoints.listFields, { formId });
	const earlierNames = last?.unmatchedNames ?? [];
	const fetched = {
		fetchedAtMs: clock.now(),
		unmatchedNames: new Set(unmatchedNames.length > 0 ? [...earlierNames, ...unmatchedNames] : []),
	};
	try {
		const { records, requests } = await fetchWholeList(context, target, 'fields');
		const fields = parseFields(records, parameters.output);
		cache.fields.set(formId, { ...fetched, fields });
		return { fields, requests };
	} catch (cause) {
		const error = toNodeError(request.n8n.getNode(), cause);
		// with outdated fields, a filter could drop a response that matches
		const mustBeCurrent = unmatchedNames.length > 0 && conditionsNeedFields(parameters.conditions);
		if (last === undefined || mustBeCurrent || hasReason(cause, 'queueTimedOut')) throw error;
		const text = `The fields of form ${formId} could not be read again: ${error.message}`;
		request.n8n.logger.warn(text);
		cache.fields.set(formId, { ...fetched, fields: last.fields });
		return { fields: last.fields, requests: 1 };
	}
}

/**
 * Whether the cached fields can be used. True if the fields were fetched within the last hour, and each
 * unmatched name has already caused a fetch.
 */
function isUpToDate(cached: CachedFields, unmatchedNames: readonly string[]): boolean {
	const isRecent = !hasElapsed(cached.fetchedAtMs, HOUR_MS, clock.now());
	return isRecent && unmatchedNames.every((name) => cached.unmatchedNames.has(name));
}
