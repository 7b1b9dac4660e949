import type { IDataObject } from 'n8n-workflow';
import { clock } from '../api/clock';
import { createTarget, endpoints } from '../api/endpoints';
import { asNodeError } from '../api/errors';
import { getFormId } from '../api/records';
import { getChosenName } from '../parameters/formId';
import { compareForms } from './compareForms';
import type { ListedForm } from './compareForms';
import {
	FORM_LIST,
	isWaiting,
	noteAnswer,
	noteFailure,
	noteSuccess,
	createUnknownFormError,
} from './failures';
import { createItems } from './output';
import type { Event } from './output';
import { addRequests, HOUR_MS, isDue, isOver } from './pace';
import { countRoom } from './pollContext';
import type { Poll } from './pollContext';
import { readPart, readWhole } from './reading';

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
	if (!isListDue(poll) || isWaiting(poll, FORM_LIST)) return;
	const target = createTarget(request.account, endpoints.listForms);
	try {
		const { records, requests } = await readWhole(poll, target, 'forms');
		noteAnswer(poll);
		const listed = parseFormList(records);
		for (const { id, name } of listed.values()) memory.names.set(id, name);
		await deliverForms(poll, listed);
		memory.formList = addRequests(memory.formList, requests, spacingMs, times.startedAtMs);
		noteSuccess(memory, FORM_LIST);
		noteMissingForms(poll, listed);
	} catch (error) {
		noteFailure(poll, FORM_LIST, error);
		memory.formList = addRequests(memory.formList, 1, spacingMs, times.startedAtMs);
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
		const key = `${FORM_LIST} ${id}`;
		if (listed.has(id)) noteSuccess(poll.memory, key);
		if (listed.has(id) || isWaiting(poll, key)) continue;
		noteFailure(poll, key, createUnknownFormError(poll.request.n8n.getNode(), id), id);
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
	const taken = found.slice(0, countRoom(poll));
	const events = taken.map(({ form: { id, name }, record, event, changed }): Event => {
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
export async function findName(poll: Poll, formId: string): Promise<string | null> {
	const { request, memory, parameters } = poll;
	const { n8n, account } = request;
	const name = getChosenName(n8n.getNode(), formId) ?? memory.names.get(formId);
	const isTried = !isOver(memory.namedAtMs, HOUR_MS, clock.now());
	if (name !== undefined || parameters.lists.forms || poll.isStopped || isTried)
		return name ?? null;
	memory.namedAtMs = clock.now();
	const target = createTarget(account, endpoints.listForms);
	const { pages, error } = await readPart(poll, target, { timeUp: clock.timeout(NAME_MS) });
	const listed = parseFormList(pages.flatMap(({ records }) => records));
	for (const one of listed.values()) memory.names.set(one.id, one.name);
	if (error !== undefined) {
		const { message } = asNodeError(n8n.getNode(), error);
		n8n.logger.info(`The names of the forms could not be read: ${message}`);
	}
	return memory.names.get(formId) ?? null;
}
