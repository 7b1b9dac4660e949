import type { IDataObject, INode } from 'n8n-workflow';
import { getCreationTime, sortOldestFirst } from '../api/answers/order';
import { clock } from '../api/clock';
import { createTarget, endpoints } from '../api/endpoints';
import { NotSent, ServiceError } from '../api/errors';
import { getFormId } from '../api/records';
import { MAX_PAGES } from '../api/replies/list';
import type { PagePosition } from '../api/replies/list';
import { describeUnknownForm, getChosenName } from '../parameters/formId';
import type { FormEvent } from '../parameters/watched';
import {
	addRequests,
	computeMaxRequests,
	DAY_MS,
	EMPTY_BUCKET,
	HOUR_MS,
	isEmpty,
	MINUTE_MS,
} from './budget';
import type { Bucket, Demand } from './budget';
import { HEALTHY, isBackOffOver, isRetryWanted } from './health';
import type { AccountHealth, Failing } from './health';
import { encodeAttributes, listChanged } from './formAttributes';
import { addMissingDay } from './knowledge';
import type { Baseline, FormState, Knowledge } from './knowledge';
import { isWatched } from './parameters';
import type { Parameters } from './parameters';
import { readPart } from './reading';
import type { Part, ReadContext } from './reading';

/** Which forms there are: the list of all forms, what the process remembers of it, and what is known then. */

/** A form as the list of all forms has it, and its attributes once they are compared. */
export type ListedForm = { id: string; name: string; record: IDataObject; attributes?: string };

/** What the process remembers of the list. Only this file writes it, but for the health. */
export type FormList = Failing & {
	demand?: Demand;
	bucket: Bucket;
	/** The forms of the last reading, and of one that is under way, by ID. */
	forms: ReadonlyMap<string, ListedForm>;
	/** Where a reading that takes several polls goes on, and what it has found. */
	reading?: { next: PagePosition; forms: ReadonlyMap<string, ListedForm> };
	/** The IDs of the last whole reading, and when it ended, in epoch milliseconds of the service. */
	whole?: { ids: ReadonlySet<string>; readAtMs: number };
	/** Requests that it takes to read the list. */
	pages: number;
	/** When it was last read for a name, or that was tried. */
	namedAtMs: number;
};

export function createFormList(): FormList {
	const begun = { bucket: EMPTY_BUCKET, forms: new Map(), pages: 1, namedAtMs: -Infinity };
	return { health: HEALTHY, ...begun };
}

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

/** The error for a form that does not exist, which is named as it was chosen or listed. */
export function createUnknownFormError(node: INode, formId: string, forms?: FormList['forms']) {
	const name = getChosenName(node, formId) ?? forms?.get(formId)?.name;
	const failure = { cause: 'configuration-invalid' } as const;
	const explanation = { ...describeUnknownForm(formId, name), failure };
	return new ServiceError(node, { ...explanation, httpCode: '404' });
}

/** The most requests a day for the list: beside responses, it is read once an hour. */
export function setListDemand(list: FormList, demand: Demand, watchesResponses: boolean): void {
	const maxPerDay = watchesResponses ? (list.pages * DAY_MS) / HOUR_MS : Infinity;
	list.demand = { ...demand, weight: list.pages, maxPerDay };
}

/** Whether the list is due. The first reading is due at once, and so is what a person waits for. */
export function isListDue(
	list: FormList,
	account: AccountHealth,
	spacingMs: number,
	isPublished: boolean,
): boolean {
	const nowMs = clock.now();
	if (isPublished && isRetryWanted([list, account], nowMs)) return true;
	if (![list, account].every((one) => isBackOffOver(one, spacingMs, nowMs))) return false;
	const isFirst = list.whole === undefined && list.health.count === 0;
	return isFirst || isEmpty(list.bucket, spacingMs, nowMs);
}

/** Reads a part of the list, and takes note of the forms and of where the reading goes on. */
export async function readFormList(
	context: ReadContext,
	list: FormList,
	spacingMs: number,
): Promise<Part> {
	const startedAtMs = clock.now();
	const target = createTarget(context.request.account, endpoints.listForms);
	const { reading } = list;
	const isFirst = list.whole === undefined && list.health.count === 0;
	const max = computeMaxRequests(list.bucket, 'whole', spacingMs, startedAtMs);
	const maxRequests = isFirst ? MAX_PAGES : max;
	const part = await readPart(context, target, { from: reading?.next, maxRequests });
	const { pages, requests, isEnd, next, error } = part;
	// the first reading comes on top of Requests per Day
	const counted = isFirst ? Math.min(requests, max) : requests;
	list.bucket = addRequests(list.bucket, counted, spacingMs, startedAtMs);
	const read = parseFormList(pages.flatMap(({ records }) => records));
	const forms = new Map([...(reading?.forms ?? []), ...read]);
	list.forms = isEnd ? forms : new Map([...list.forms, ...read]);
	const last = pages.at(-1);
	if (last !== undefined)
		list.pages = isEnd ? last.pagesBefore + 1 : Math.max(list.pages, last.pagesBefore + 1);
	if (isEnd) list.whole = { ids: new Set(forms.keys()), readAtMs: last!.readAtMs };
	// a page that fails again where a reading went on: the next reading begins again
	const isGivenUp = error !== undefined && !(error instanceof NotSent) && pages.length === 0;
	list.reading = isEnd || isGivenUp || next === undefined ? undefined : { next, forms };
	return part;
}

/** The longest time that found responses wait for the name of their form. */
const NAME_MS = 3_000;

/**
 * Reads the list for the names of forms that were chosen by ID, once an hour at most.
 *
 * @returns the requests; none if it was tried within the hour
 */
export async function readNames(context: ReadContext, list: FormList): Promise<number> {
	const nowMs = clock.now();
	if (nowMs >= context.readUntilMs || Math.abs(nowMs - list.namedAtMs) < HOUR_MS) return 0;
	list.namedAtMs = nowMs;
	const target = createTarget(context.request.account, endpoints.listForms);
	const part = await readPart({ ...context, timeUp: clock.timeout(NAME_MS) }, target);
	const read = parseFormList(part.pages.flatMap(({ records }) => records));
	list.forms = new Map([...list.forms, ...read]);
	if (part.error instanceof Error) {
		const { logger } = context.request.n8n;
		logger.info(`The names of the forms could not be read: ${part.error.message}`);
	}
	return part.requests;
}

/** An event of a form. */
export type FoundForm = ListedForm & {
	event: FormEvent;
	/** The attributes that have changed. */
	changed?: string[];
	/** What is known of the form once n8n has the event. */
	after: FormState;
	/** What was known of its attributes. */
	before?: string;
};

/** What is known of the forms after a list of them, and the events in it, which the knowledge does not have. */
type MergedForms = { knowledge: Knowledge; found: FoundForm[] };

/** What is known of a form that is watched from now on; nothing if no responses are wanted. */
type Initial = { baseline?: Baseline };

/**
 * What is known with the forms that were listed, and which of them are new or have other attributes than are
 * known. If none are known of a form, those in the list are taken as known.
 *
 * @param nowMs the service's time
 */
export function mergeFormList(
	knowledge: Knowledge,
	list: Pick<FormList, 'forms' | 'whole'>,
	{ watch, events }: Pick<Parameters, 'watch' | 'events'>,
	initial: Initial,
	nowMs: number,
): MergedForms {
	const merged =
		watch.kind === 'all'
			? mergeAllForms(knowledge, list, watch.except, initial, nowMs)
			: { knowledge, found: [] };
	if (!events.includes('formUpdated')) return merged;
	const forms = new Map(merged.knowledge.forms);
	const found = merged.found.map((one) => {
		return { ...one, after: { ...one.after, attributes: encodeAttributes(one.record) } };
	});
	for (const form of list.forms.values()) {
		const isNew = watch.kind === 'all' && !forms.has(form.id);
		if (isNew || !isWatched(watch, form.id)) continue;
		const state = forms.get(form.id) ?? {};
		const { attributes: before } = state;
		// once for each reading of the list
		const attributes = (form.attributes ??= encodeAttributes(form.record));
		if (attributes === before) continue;
		const after = { ...state, attributes };
		const changed = before === undefined ? [] : listChanged(before, form.record);
		if (changed.length === 0) forms.set(form.id, after);
		else found.push({ ...form, event: 'formUpdated', changed, before, after });
	}
	return { knowledge: { ...merged.knowledge, forms }, found };
}

/**
 * What is known of all forms. A form that has appeared since the first list is watched from its creation,
 * unless its time says that it is older. A form that has left is remembered for 30 days.
 *
 * @param except the IDs of forms that are excluded
 * @returns created forms oldest first
 */
function mergeAllForms(
	knowledge: Knowledge,
	{ forms: listed, whole }: Pick<FormList, 'forms' | 'whole'>,
	except: readonly string[],
	initial: Initial,
	nowMs: number,
): MergedForms {
	if (listed.size === 0 && whole === undefined) return { knowledge, found: [] };
	const { listedSinceMs = nowMs, isListed = false } = knowledge;
	const forms = new Map(knowledge.forms);
	const excluded = new Set(except);
	const created: FoundForm[] = [];
	const after: FormState = initial.baseline === undefined ? {} : { known: new Map() };
	for (const form of listed.values()) {
		const state = forms.get(form.id);
		if (excluded.has(form.id)) forms.set(form.id, PAUSED);
		else if (state !== undefined) forms.set(form.id, resumeForm(state, initial));
		else if (isCreated(form, knowledge)) created.push({ ...form, event: 'formCreated', after });
		else forms.set(form.id, initial);
	}
	// a list that could not be read again says nothing about the days since
	const { ids, readAtMs = 0 } = whole ?? {};
	for (const [id, state] of ids === undefined ? [] : forms) {
		if (ids?.has(id) || listed.has(id)) continue;
		const absence = addMissingDay(state.absence, Math.floor(readAtMs / DAY_MS));
		if (absence === undefined) forms.delete(id);
		else if (absence !== state.absence) forms.set(id, { ...state, absence });
	}
	const merged = { ...knowledge, listedSinceMs, isListed: isListed || ids !== undefined, forms };
	return { knowledge: merged, found: sortOldestFirst(created) };
}

/** Responses that come while a form is excluded are not delivered later. */
const PAUSED: FormState = { isPaused: true };

/** A form that is listed again, or that was paused: then it begins now, without its existing responses. */
function resumeForm(state: FormState, { baseline }: Initial): FormState {
	const { absence, isPaused, ...rest } = state;
	const isWanted =
		baseline !== undefined && rest.baseline === undefined && rest.known === undefined;
	if (isWanted) return { ...rest, baseline: isPaused ? { sinceMs: baseline.sinceMs } : baseline };
	if (absence === undefined) return state;
	return isPaused ? { ...rest, isPaused } : rest;
}

/** Times are often rounded down to the second, and several machines of a service differ. */
const TOLERANCE_MS = MINUTE_MS;

/** Whether a form was created since the list was first read; without a time, since all of it was read. */
function isCreated(
	{ record }: ListedForm,
	{ listedSinceMs, isListed = false }: Knowledge,
): boolean {
	if (listedSinceMs === undefined) return false;
	const createdAtMs = getCreationTime(record);
	return createdAtMs === undefined ? isListed : createdAtMs >= listedSinceMs - TOLERANCE_MS;
}
