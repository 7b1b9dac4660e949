import { pick } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type { ResponseOutput } from '../../answers/responseItem';
import { clock } from '../../api/clock';
import { createTarget, endpoints } from '../../api/endpoints';
import { toNodeError } from '../../api/errors';
import { removeSecrets } from '../../api/records';
import { createFormNotFoundError } from '../../parameters/formId';
import type { FormEvent } from '../../parameters/triggerEvents';
import { fetchWholeList } from '../fetchList';
import { indexListedForms, cacheFormNames, type ListedForm } from '../formDetails';
import { HIGHEST_PAGE_NUMBER, type FailureSubject } from '../failures';
import type { ReadingOutcome } from '../outcomes';
import { isBackingOff, type OutputItem, type PollContext } from '../pollContext';
import { addDebt, isDue, type RequestDebt } from '../requestBudget';
import { NEW_FORM_STATE, type FormState } from '../triggerState';
import { compareForms } from './compareForms';

/*
 * Reads the list of all forms during a poll. The list shows which forms there are, how forms are named, and
 * which forms have changed.
 */

/**
 * The states of all forms. `listedSinceMs` is the time at which the list of forms was first read, by the
 * service's clock.
 */
export type FormListState = {
	forms: Map<string, FormState>;
	listedSinceMs: number | undefined;
};

export type FormListResult = FormListState & {
	items: OutputItem[];
	outcomes: ReadingOutcome[];
	/** The request debt of the list. */
	debt: RequestDebt;
};

const FORM_LIST: FailureSubject = { kind: 'formList' };

/**
 * Whether a poll may read the list of forms. False if the trigger does not need the list, and during the
 * backoff of the list. Otherwise, true in three cases:
 *
 * - The list is due.
 * - The user has just published the workflow.
 * - This process has not read the list yet.
 */
export function mayReadFormList(context: PollContext): boolean {
	const { baseIntervalMs, cache, parameters, reason } = context;
	if (!parameters.lists.forms || isBackingOff(context, FORM_LIST)) return false;
	const { formListDebt } = cache;
	const isAtOnce = formListDebt === undefined || reason === 'publish';
	return isAtOnce || isDue(formListDebt, baseIntervalMs, clock.now());
}

/**
 * Reads the whole list of forms, and creates the items of form events. If the list cannot be read, `outcomes`
 * has the error.
 */
export async function pollFormList(
	context: PollContext,
	stateBefore: FormListState,
): Promise<FormListResult> {
	const { request, cache } = context;
	const target = createTarget(request.account, endpoints.listForms);
	try {
		const { records, requests } = await fetchWholeList(context, target, 'forms');
		const listed = indexListedForms(records);
		cacheFormNames(cache.names, listed.values());
		const outcomes = [
			{ subject: FORM_LIST, hasPages: true, page: HIGHEST_PAGE_NUMBER },
			...findMissing(context, listed),
		];
		const debt = addListDebt(context, requests);
		return { ...deliverFormEvents(context, stateBefore, listed), outcomes, debt };
	} catch (error) {
		const readError = toNodeError(request.n8n.getNode(), error);
		const outcomes = [{ subject: FORM_LIST, hasPages: false, readError, page: 0 }];
		return { ...stateBefore, items: [], outcomes, debt: addListDebt(context, 1) };
	}
}

function addListDebt({ baseIntervalMs, cache, times }: PollContext, requests: number): RequestDebt {
	return addDebt(cache.formListDebt, requests, baseIntervalMs, times.pollStartedAtMs);
}

/**
 * Creates the items of form events, as many as the poll may deliver. A later poll detects the remaining
 * events again.
 */
function deliverFormEvents(
	{ cache, parameters, times }: PollContext,
	{ forms: formsBefore, listedSinceMs }: FormListState,
	listed: ReadonlyMap<string, ListedForm>,
): FormListState & { items: OutputItem[] } {
	const { lists, maxPerPoll, output, watch } = parameters;
	const { forms, detected } = compareForms(formsBefore, listed, {
		...parameters,
		listedSinceMs,
		initialState: lists.responses ? NEW_FORM_STATE : {},
		nowMs: times.pollStartedAtMs,
	});
	const delivered = detected.slice(0, maxPerPoll);
	for (const { form, stateAfter } of delivered) forms.set(form.id, stateAfter);
	const nowMs = cache.serviceClock.toServiceMs(times.pollStartedAtMs);
	return {
		forms,
		listedSinceMs: listedSinceMs ?? (watch.kind === 'all' ? nowMs : undefined),
		items: delivered.map(({ event, form, changed }) =>
			createFormItem(event, form, output, changed),
		),
	};
}

/**
 * Returns an outcome for each form that the user has chosen. The outcome is a failure if the form is not in the
 * list. Returns no outcomes if the trigger reads responses, because the request for the responses of a missing
 * form fails with its own error.
 */
function findMissing(
	context: PollContext,
	listed: ReadonlyMap<string, ListedForm>,
): ReadingOutcome[] {
	const { watch, lists } = context.parameters;
	const formIds = watch.kind === 'all' || lists.responses ? [] : watch.formIds;
	return formIds.flatMap((formId): ReadingOutcome[] => {
		const subject: FailureSubject = { kind: 'listedForm', formId };
		if (listed.has(formId)) return [{ subject, hasPages: true, page: HIGHEST_PAGE_NUMBER }];
		if (isBackingOff(context, subject)) return [];
		const readError = createFormNotFoundError(context.request.n8n.getNode(), formId);
		return [{ subject, hasPages: false, readError, page: 0 }];
	});
}

/** The attributes of a form in a simplified item. The item also has `form` with the ID and the name. */
const FORM_EVENT_ATTRIBUTES = ['slug', 'description', 'is_closed', 'created_at', 'updated_at'];

/**
 * Creates the item of an event. The item has the attributes of the form, then `changed`, `event` and `form`.
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
