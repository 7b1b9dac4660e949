import { clamp, isEmpty, isObject, mapValues, omit, pickBy, snakeCase, uniq } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { getCreationTime, sortOldestFirst } from '../api/answers/order';
import { readNumber } from '../api/readers';
import { isRecord, sortKeys } from '../api/records';
import { findSetting, settings } from '../api/settings/settings';
import type { FormEvent } from '../parameters/watched';
import { DAY_MS, MINUTE_MS } from './budget';
import type { FormList, ListedForm } from './formList';
import { addMissingDay, computeFingerprint } from './knowledge';
import type { Baseline, FormState, Knowledge } from './knowledge';
import { isWatched } from './parameters';
import type { Parameters } from './parameters';

/** What is known of forms once they are listed: which of them are new, and which have changed. */

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

/** With the form's ID, a text of this length has 300 bytes in the saved state: up to 88 attributes have room. */
const MAX_LENGTH = 264;

/**
 * The attributes of a form that have a value and do not change by themselves, as a text for the saved state: the
 * length of an entry (3 to 7), and an entry for each attribute, which begins with a fingerprint of its name.
 */
function encodeAttributes(record: IDataObject): string {
	const values = listValues(record);
	const length = clamp(Math.floor(MAX_LENGTH / values.length), 3, 7);
	return [length, ...values.map((one) => makeEntry(one, length))].join('');
}

/**
 * The names of the attributes of a form that have changed.
 *
 * @param known the text of the attributes as they were
 */
function listChanged(known: string, record: IDataObject): string[] {
	const length = Number(known[0]);
	const before: string[] = known.slice(1).match(new RegExp(`.{${length}}`, 'g')) ?? [];
	const values = listValues(record);
	const changed = values.filter((one) => !before.includes(makeEntry(one, length)));
	const keys = values.map(([name]) => makeKey(name, length));
	const gone = before
		.map((entry) => entry.slice(0, length >> 1))
		.filter((key) => !keys.includes(key));
	// the list can leave out an attribute that has no value any more
	const names = [...Object.keys(record), ...settings.map(({ name }) => name)];
	const removed = names.filter((name) => gone.includes(makeKey(name, length)));
	return uniq([...changed.map(([name]) => name), ...removed]).sort();
}

const makeKey = (name: string, length: number) => computeFingerprint(name).slice(0, length >> 1);

function makeEntry([name, value]: string[], length: number): string {
	const key = makeKey(name, length);
	return key + computeFingerprint(name + value).slice(0, length - key.length);
}

/** Attributes with their values as text. */
function listValues(record: IDataObject): string[][] {
	const isSet = (value: unknown) => (isObject(value) ? !isEmpty(value) : Boolean(value));
	return Object.entries(omit(record, 'id', 'uuid'))
		.filter(([name, value]) => isSet(value) && isLasting(value, name))
		.map(([name, value]) => [name, JSON.stringify(sortKeys(selectLasting(value)))]);
}

function selectLasting(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(selectLasting);
	return isRecord(value) ? mapValues(pickBy(value, isLasting), selectLasting) : value;
}

/** Names of what changes by itself: times and statistics. */
const PASSIVE =
	/(^|_)(created|updated|modified|submitted|synced|viewed|last|latest|counts|stats|statistics|analytics)(_|$)/;

/** Words in the names of numbers that rise with responses and visits, and of their limits, which do not. */
const COUNTER =
	/(^|_)(answer|average|completion|count|entrie|number|rate|response|start|submission|total|unread|view|visit)s?(_|$)/;
const LIMIT = /(^|_)(max|min|limit)(_|$)/;

/** Whether an attribute changes only with the form, by its name. */
function isLasting(value: unknown, given: string): boolean {
	const name = snakeCase(given);
	const isCounter = readNumber(value) !== undefined && COUNTER.test(name) && !LIMIT.test(name);
	return findSetting(given) !== undefined || (!PASSIVE.test(name) && !isCounter);
}
