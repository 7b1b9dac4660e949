import type { IDataObject } from 'n8n-workflow';
import { clock } from '../api/clock';
import { createTarget, endpoints } from '../api/endpoints';
import { asNodeError } from '../api/errors';
import { getFormId } from '../api/records';
import { createFormNotFoundError, getSelectedFormName } from '../parameters/formId';
import { compareForms, type ListedForm } from './compareForms';
import {
	FORM_LIST_KEY,
	isBackingOff,
	registerReply,
	registerFailure,
	clearFailure,
} from './failures';
import { createItems, type EventData } from './createItems';
import { addDebt, HOUR_MS, isDue, hasElapsed } from './requestBudget';
import { getCapacity, type Poll } from './pollContext';
import { fetchSlice, fetchWholeList } from './fetchSlice';

/** How a poll reads the list of all forms: for the forms to watch, for events of forms, and for names. */

/** The forms of a list, each once. A form without an ID cannot be polled. */
export function parseFormList(records: readonly IDataObject[]): Map<string, ListedForm> {
	const byId = new Map<string, ListedForm>();
	for (const record of records) {
		const id = getFormId(record);
		if (id === undefined || byId.has(id)) continue;
		const { name } = record;
		byId.set(id, { id, name: typeof name === 'string' && name.trim() !== '' ? name : id, record });
	}
	return byId;
}

/** Reads the list, if it is due, and delivers the events of forms. A poll reads all of the list or nothing. */
export async function pollFormList(poll: Poll): Promise<void> {
	const { memory, request, spacingMs, times } = poll;
	if (!isListDue(poll) || isBackingOff(poll, FORM_LIST_KEY)) return;
	const target = createTarget(request.account, endpoints.listForms);
	try {
		const { records, requests } = await fetchWholeList(poll, target, 'forms');
		registerReply(poll);
		const listed = parseFormList(records);
		for (const { id, name } of listed.values()) memory.names.set(id, name);
		await deliverForms(poll, listed);
		memory.formList = addDebt(memory.formList, requests, spacingMs, times.startedAtMs);
		clearFailure(memory, FORM_LIST_KEY);
		noteMissingForms(poll, listed);
	} catch (error) {
		registerFailure(poll, FORM_LIST_KEY, error);
		memory.formList = addDebt(memory.formList, 1, spacingMs, times.startedAtMs);
	}
}

/** A person who publishes the workflow, and a process that begins, read the list at once. */
function isListDue({ parameters, memory: { formList }, occasion, spacingMs }: Poll): boolean {
	const isAtOnce = formList === undefined || occasion === 'publish';
	return parameters.lists.forms && (isAtOnce || isDue(formList, spacingMs, clock.now()));
}

/** A chosen form that is not listed is an error. A form whose responses are read has its own error. */
function noteMissingForms(poll: Poll, listed: ReadonlyMap<string, ListedForm>): void {
	const { watch, lists } = poll.parameters;
	for (const id of watch.kind === 'all' || lists.responses ? [] : watch.formIds) {
		const key = `${FORM_LIST_KEY} ${id}`;
		if (listed.has(id)) clearFailure(poll.memory, key);
		if (listed.has(id) || isBackingOff(poll, key)) continue;
		registerFailure(poll, key, createFormNotFoundError(poll.request.n8n.getNode(), id), id);
	}
}

/**
 * Delivers the events of forms, as many as there is room for: a later poll finds the others again. Takes note of
 * the forms that are watched from now on.
 */
async function deliverForms(poll: Poll, listed: ReadonlyMap<string, ListedForm>): Promise<void> {
	const { request, memory, parameters, times, forms } = poll;
	const found = compareForms(forms, listed, {
		...parameters,
		listedSinceMs: poll.listedSinceMs,
		created: parameters.lists.responses ? { known: '' } : {},
		nowMs: times.startedAtMs,
	});
	if (parameters.watch.kind === 'all') {
		poll.listedSinceMs ??= times.startedAtMs + (memory.offsetMs ?? 0);
	}
	const taken = found.slice(0, getCapacity(poll));
	const events = taken.map(({ form: { id, name }, record, event, changed }): EventData => {
		return { event, record, form: { id, name }, changed };
	});
	const options = { context: request, output: parameters.output };
	poll.items.push(...(await createItems(events, options)));
	for (const { form, after } of taken) forms.set(form.id, after);
}

/** The longest time that found responses wait for the name of their form. */
const NAME_MS = 3_000;

/**
 * The name of a form; null if neither the Form parameter nor the list of all forms has it. For forms that
 * were chosen by ID, the list is read once an hour at most.
 */
export async function findFormName(poll: Poll, formId: string): Promise<string | null> {
	const { request, memory, parameters } = poll;
	const { n8n, account } = request;
	const name = getSelectedFormName(n8n.getNode(), formId) ?? memory.names.get(formId);
	const isTried = !hasElapsed(memory.namedAtMs, HOUR_MS, clock.now());
	if (name !== undefined || parameters.lists.forms || poll.isStopped || isTried)
		return name ?? null;
	memory.namedAtMs = clock.now();
	const target = createTarget(account, endpoints.listForms);
	const { pages, error } = await fetchSlice(poll, target, { timeUp: clock.timeout(NAME_MS) });
	const listed = parseFormList(pages.flatMap(({ records }) => records));
	for (const one of listed.values()) memory.names.set(one.id, one.name);
	if (error !== undefined) {
		const { message } = asNodeError(n8n.getNode(), error);
		n8n.logger.info(`The names of the forms could not be read: ${message}`);
	}
	return memory.names.get(formId) ?? null;
}
