import { pick, union } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type { ResponseOutput } from '../answers/responseItem';
import { clock, MINUTE_MS } from '../api/clock';
import { createTarget, endpoints } from '../api/endpoints';
import { toNodeError } from '../api/errors';
import { getCreationTimeMs, getFormId, removeSecrets, sortByTime } from '../api/records';
import { createFormNotFoundError } from '../parameters/locators';
import type { FormEvent } from '../parameters/triggerEvents';
import { settings } from '../settings/settings';
import { isDue, type FailureSubject, type ReadingOutcome } from './schedule';
import { computeFingerprint, toCanonicalText } from './responseEvents';
import type { OutputItem, PollContext, PollResult } from './pollContext';
import { fetchListInTime } from './readPages';
import { isWatched, updateAbsences } from './triggerParameters';
import type { FormState, KnownForms } from './triggerState';

/* Reads the list of all forms: which forms there are, their names, and their events. */

/** A form in the list. If it has no name, its name is its ID. */
export type ListedForm = { id: string; name: string; record: IDataObject };

/** Returns the forms by their IDs. A form without an ID cannot be polled. */
export function indexForms(records: readonly IDataObject[]): Map<string, ListedForm> {
	const byId = new Map<string, ListedForm>();
	for (const record of records) {
		const id = getFormId(record);
		if (id === undefined || byId.has(id)) continue;
		const name = typeof record.name === 'string' ? record.name.trim() : '';
		byId.set(id, { id, name: name === '' ? id : name, record });
	}
	return byId;
}

/** Fetches the list of all forms, and remembers their names. */
export async function fetchForms(
	context: PollContext,
): Promise<{ listed: ReadonlyMap<string, ListedForm>; requests: number }> {
	const { cache, request } = context;
	const target = createTarget(request.account, endpoints.listForms);
	const { records, requests } = await fetchListInTime(context, target);
	const listed = indexForms(records);
	for (const { id, name } of listed.values()) {
		if (name === id) cache.names.delete(id);
		else cache.names.set(id, name);
	}
	return { listed, requests };
}

const FORM_LIST: FailureSubject = 'formList';

/** Whether a poll may read the list. Publishing, and a new process, read it at once. */
export function mayReadFormList(context: PollContext): boolean {
	const { cache, intervalMs, parameters, reason, startedAtMs } = context;
	const { failures } = cache;
	const isWaiting = failures.isInBackoff('account') || failures.isInBackoff(FORM_LIST);
	if (!parameters.lists.forms || isWaiting) return false;
	return reason === 'publish' || isDue(cache.formListReading, intervalMs, startedAtMs);
}

/** Reads the whole list and makes items of events of forms. An error is in the outcomes. */
export async function readFormList(
	context: PollContext,
	before: KnownForms,
	capacity: number,
): Promise<PollResult> {
	try {
		const { listed, requests } = await fetchForms(context);
		context.cache.formListReading = { atMs: clock.now(), requests };
		const outcomes = [{ subject: FORM_LIST, hasRead: true }, ...findMissing(context, listed)];
		return { ...deliverFormEvents(context, before, listed, capacity), outcomes };
	} catch (cause) {
		context.cache.formListReading = { atMs: clock.now(), requests: 1 };
		const error = toNodeError(context.request.n8n.getNode(), cause);
		return { ...before, items: [], outcomes: [{ subject: FORM_LIST, hasRead: false, error }] };
	}
}

/** Without events of responses, only the list shows that a chosen form does not exist. */
function findMissing(
	{ parameters, request }: PollContext,
	listed: ReadonlyMap<string, ListedForm>,
): ReadingOutcome[] {
	const { watch, lists } = parameters;
	if (watch.kind === 'all' || lists.responses) return [];
	return watch.formIds.map((formId) => {
		const hasRead = listed.has(formId);
		const error = hasRead ? undefined : createFormNotFoundError(request.n8n.getNode(), formId);
		return { subject: `form ${formId}`, hasRead, error };
	});
}

/** What has no capacity is detected again by a later poll. */
function deliverFormEvents(
	context: PollContext,
	before: KnownForms,
	listed: ReadonlyMap<string, ListedForm>,
	capacity: number,
): KnownForms & { items: OutputItem[] } {
	const { cache, parameters, startedAtMs } = context;
	const { forms, detected } = compareForms(context, before, listed);
	const delivered = detected.slice(0, capacity);
	for (const { id, stateAfter } of delivered) forms.set(id, stateAfter);
	const firstMs = startedAtMs + cache.clockOffsetMs;
	const listedSinceMs = parameters.watch.kind === 'all' ? firstMs : undefined;
	return {
		forms,
		listedSinceMs: before.listedSinceMs ?? listedSinceMs,
		items: delivered.map((one) => createFormEventItem(one, parameters.output)),
	};
}

/** An event of a form. `stateAfter` is recorded once n8n has the event. */
type DetectedFormEvent = ListedForm &
	Readonly<{
		event: FormEvent;
		/** The attributes that have changed. */
		changed?: readonly string[];
		stateAfter: FormState;
	}>;

type FormComparison = { forms: Map<string, FormState>; detected: DetectedFormEvent[] };

/** Finds new and changed forms, the oldest first. A form keeps its old state until its event is delivered. */
export function compareForms(
	{ parameters, startedAtMs: nowMs }: Pick<PollContext, 'parameters' | 'startedAtMs'>,
	{ forms: formsBefore, listedSinceMs }: KnownForms,
	listed: ReadonlyMap<string, ListedForm>,
): FormComparison {
	const { watch, events, lists } = parameters;
	const isAll = watch.kind === 'all';
	const isUpdateWanted = events.includes('formUpdated');
	const isPresent = (id: string) => listed.has(id) && isWatched(watch, id);
	const forms = isAll ? updateAbsences(formsBefore, isPresent, nowMs) : new Map(formsBefore);
	const detected: DetectedFormEvent[] = [];
	for (const form of listed.values()) {
		const before = forms.get(form.id);
		if (!isWatched(watch, form.id)) {
			// an excluded form is known, so it is not new if it is watched later
			if (isAll && before === undefined) forms.set(form.id, { absentSinceMs: nowMs });
			continue;
		}
		const isNew = isAll && before === undefined && listedSinceMs !== undefined;
		// a form that was moved to the workspace has existing responses, and a created form has none
		const isCreated = isNew && isNewlyCreated(form, listedSinceMs);
		const first: FormState = isCreated && lists.responses ? { seen: new Map() } : {};
		const { changed, stateAfter } = compareAttributes(form, before ?? first, isUpdateWanted);
		if (isNew && events.includes('formCreated')) {
			detected.push({ ...form, event: 'formCreated', stateAfter });
		} else if (changed.length > 0) {
			detected.push({ ...form, event: 'formUpdated', changed, stateAfter });
		} else forms.set(form.id, stateAfter);
	}
	return { forms, detected: sortByTime(detected, 'oldest') };
}

/** The service rounds times down, and its machines can have different clocks. */
const CREATION_TOLERANCE_MS = MINUTE_MS;

/** Whether a form was created since the list was first read. */
function isNewlyCreated({ record }: ListedForm, listedSinceMs: number): boolean {
	const createdAtMs = getCreationTimeMs(record);
	return createdAtMs === undefined || createdAtMs >= listedSinceMs - CREATION_TOLERANCE_MS;
}

function compareAttributes(
	{ record }: ListedForm,
	before: FormState,
	isWanted: boolean,
): { changed: string[]; stateAfter: FormState } {
	if (!isWanted) return { changed: [], stateAfter: before };
	const attributes = fingerprintAttributes(record);
	const known = before.attributes ?? attributes;
	const changed = union(Object.keys(known), Object.keys(attributes))
		.filter((name) => known[name] !== attributes[name])
		.sort();
	const isSame = before.attributes !== undefined && changed.length === 0;
	return { changed, stateAfter: isSame ? before : { ...before, attributes } };
}

/** The attributes that Form Updated compares: the settings, which include the name, and the fields. */
const COMPARED_ATTRIBUTES = [...settings.map(({ name }) => name), 'fields'];

/** 24 bits: the trigger misses one change in 16 million. */
const ATTRIBUTE_LENGTH = 4;

/** Returns the fingerprints of a form's attributes that have a value, by their names. */
export function fingerprintAttributes(record: IDataObject): Record<string, string> {
	const texts = COMPARED_ATTRIBUTES.map((name) => [name, toCanonicalText(record[name])] as const);
	const given = texts.filter(([, text]) => text !== '');
	return Object.fromEntries(
		given.map(([name, text]) => [name, computeFingerprint(text).slice(0, ATTRIBUTE_LENGTH)]),
	);
}

/** The attributes of a form in a simplified item. */
const ITEM_ATTRIBUTES = ['slug', 'description', 'is_closed', 'created_at', 'updated_at'];

export function createFormEventItem(
	{ id, name, record, event, changed }: Omit<DetectedFormEvent, 'stateAfter'>,
	{ simplify }: ResponseOutput,
): OutputItem {
	const selected = simplify ? pick(record, ITEM_ATTRIBUTES, changed ?? []) : record;
	const json: IDataObject = {
		...removeSecrets(selected),
		...(changed && { changed: [...changed] }),
		event,
		form: { id, name },
	};
	return { record, item: { json } };
}
