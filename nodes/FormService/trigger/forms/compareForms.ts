import { isEmpty, isEqual, isObject, mapValues, omit, pickBy, snakeCase, union } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { parseNumber } from '../../api/parseValues';
import { getCreationTimeMs, sortByTime } from '../../api/recordTimes';
import { isRecord, sortKeys } from '../../api/records';
import { findSetting } from '../../api/settings/settings';
import type { FormEvent, TriggerEvent } from '../../parameters/triggerEvents';
import { computeFingerprint } from '../fingerprints';
import type { ListedForm } from '../formDetails';
import { MINUTE_MS } from '../requestBudget';
import { isWatched, type Watch } from '../triggerParameters';
import { updateAbsences, type FormState, type FormStates } from '../triggerState';

/** Decides which forms in the list are watched, and which are new or changed. */

/** An event of a form. */
export type DetectedFormEvent = {
	event: FormEvent;
	form: ListedForm;
	record: ListedForm['record'];
	/** The names of the attributes that have changed. */
	changed?: string[];
	/** The state of the form to save once n8n has received the event. */
	stateAfter: FormState;
};

export type FormComparisonRules = Readonly<{
	watch: Watch;
	events: readonly TriggerEvent[];
	/** When the list of forms was first read, by the service's clock. */
	listedSinceMs?: number;
	/** The first state of a new form. */
	initialState: FormState;
	nowMs: number;
}>;

/**
 * Finds the events of forms that are new or have changed.
 *
 * @returns the events, the oldest form first, and the states of all forms; a form with an event keeps its state
 * from before
 */
export function compareForms(
	before: FormStates,
	listed: ReadonlyMap<string, ListedForm>,
	rules: FormComparisonRules,
): { forms: Map<string, FormState>; detected: DetectedFormEvent[] } {
	const { watch, nowMs } = rules;
	const isAll = watch.kind === 'all';
	const forms = isAll
		? updateAbsences(before, (id) => listed.has(id) && isWatched(watch, id), nowMs)
		: new Map(before);
	const detected: DetectedFormEvent[] = [];
	for (const form of listed.values()) {
		const state = forms.get(form.id);
		if (isWatched(watch, form.id)) {
			const { stateAfter, ...event } = compareForm(form, state, rules);
			if (event.event === undefined) forms.set(form.id, stateAfter);
			else detected.push({ ...event, event: event.event, form, record: form.record, stateAfter });
		} else if (isAll && state === undefined) {
			// record an excluded form, so that it is not new if the user watches it later
			forms.set(form.id, { absence: { atMs: nowMs, passes: 0 } });
		}
	}
	return { forms, detected: sortByTime(detected, 'oldest') };
}

type FormComparison = Pick<DetectedFormEvent, 'changed' | 'stateAfter'> & { event?: FormEvent };

function compareForm(
	form: ListedForm,
	state: FormState | undefined,
	{ watch, events, listedSinceMs, initialState }: FormComparisonRules,
): FormComparison {
	const isNew = watch.kind === 'all' && state === undefined && isCreated(form, listedSinceMs);
	const before = state ?? (isNew ? initialState : {});
	const attributes = events.includes('formUpdated')
		? fingerprintAttributes(form.record)
		: undefined;
	const changed =
		before.attributes && attributes ? findChangedAttributes(before.attributes, attributes) : [];
	const isSame = state !== undefined && isEqual(attributes, state.attributes);
	const stateAfter = isSame ? state : { ...before, attributes };
	if (isNew && events.includes('formCreated')) return { event: 'formCreated', stateAfter };
	if (changed.length === 0) return { stateAfter };
	return { event: 'formUpdated', changed, stateAfter };
}

/**
 * The tolerance for comparing times, because times are rounded down to the second, and the machines of a
 * service can have different clocks.
 */
const CREATION_TOLERANCE_MS = MINUTE_MS;

/** Whether a form was created after the list was first read. True for a form without a time of creation. */
function isCreated({ record }: ListedForm, listedSinceMs: number | undefined): boolean {
	if (listedSinceMs === undefined) return false;
	const createdAtMs = getCreationTimeMs(record);
	return createdAtMs === undefined || createdAtMs >= listedSinceMs - CREATION_TOLERANCE_MS;
}

/**
 * The fingerprints of a form's attributes by name. Leaves out attributes without a value, and attributes that
 * can change although the author has not edited the form.
 */
export type AttributeFingerprints = Readonly<Record<string, string>>;

/**
 * The length of an attribute's fingerprint in characters. It has 24 bits, so one change in 16 million is not
 * noticed.
 */
const VALUE_LENGTH = 4;

export function fingerprintAttributes(record: IDataObject): AttributeFingerprints {
	const isSet = (value: unknown) => (isObject(value) ? !isEmpty(value) : Boolean(value));
	const lasting = pickBy(
		omit(record, 'id', 'uuid'),
		(value, name) => isSet(value) && isLasting(value, name),
	);
	return mapValues(lasting, (value) => {
		const text = JSON.stringify(sortKeys(selectLasting(value)));
		return computeFingerprint(text).slice(0, VALUE_LENGTH);
	});
}

/**
 * Returns the names of the attributes that have changed. If an attribute loses its value, the list may leave
 * the attribute out.
 */
export function findChangedAttributes(
	before: AttributeFingerprints,
	after: AttributeFingerprints,
): string[] {
	const names = union(Object.keys(before), Object.keys(after));
	return names.filter((name) => before[name] !== after[name]).sort();
}

function selectLasting(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(selectLasting);
	return isRecord(value) ? mapValues(pickBy(value, isLasting), selectLasting) : value;
}

/** Matches names of attributes that change although the form is not edited: times and statistics. */
const PASSIVE =
	/(^|_)(created|updated|modified|submitted|synced|viewed|last|latest|counts|stats|statistics|analytics)(_|$)/;

/** Matches names of counters, which rise with each response or visit. */
const COUNTER =
	/(^|_)(answer|average|completion|count|entrie|number|rate|response|start|submission|total|unread|view|visit)s?(_|$)/;
const LIMIT = /(^|_)(max|min|limit)(_|$)/;

/** Whether an attribute with this name changes only if the author edits the form. */
function isLasting(value: unknown, attribute: string): boolean {
	const name = snakeCase(attribute);
	const isCounter = parseNumber(value) !== undefined && COUNTER.test(name) && !LIMIT.test(name);
	return findSetting(attribute) !== undefined || (!PASSIVE.test(name) && !isCounter);
}
