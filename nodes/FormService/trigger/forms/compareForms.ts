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

/** Which listed forms are watched, and which are new or changed. */

/** An event of a form. */
export type DetectedFormEvent = {
	event: FormEvent;
	form: ListedForm;
	record: ListedForm['record'];
	/** The attributes that have changed. */
	changed?: string[];
	/** The state to save after n8n has received the event. */
	stateAfter: FormState;
};

export type FormComparisonRules = Readonly<{
	watch: Watch;
	events: readonly TriggerEvent[];
	/** The time when the list was first read, in the service's time. */
	listedSinceMs?: number;
	/** The state of a form that was created after that time. */
	initialState: FormState;
	nowMs: number;
}>;

/**
 * Finds new and changed forms.
 *
 * @returns the events, oldest form first, and the states of the forms as if no event were delivered
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
			// an excluded form is not new when it is watched later
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

/** A tolerance for times that are rounded down to the second, and for differences between a service's machines. */
const CREATION_TOLERANCE_MS = MINUTE_MS;

/** Whether a form was created after the list was first read. True for a form without a time. */
function isCreated({ record }: ListedForm, listedSinceMs: number | undefined): boolean {
	if (listedSinceMs === undefined) return false;
	const createdAtMs = getCreationTimeMs(record);
	return createdAtMs === undefined || createdAtMs >= listedSinceMs - CREATION_TOLERANCE_MS;
}

/** Fingerprints, by name, of the attributes that have a value and change only if the author edits the form. */
export type AttributeFingerprints = Readonly<Record<string, string>>;

/** Characters of a fingerprint. They have 24 bits, so one of 16 million changes is not seen. */
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

/** Finds the names of the attributes that have changed. A list can omit an attribute that has no value any more. */
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

/** Names of attributes that change without an edit: times and statistics. */
const PASSIVE =
	/(^|_)(created|updated|modified|submitted|synced|viewed|last|latest|counts|stats|statistics|analytics)(_|$)/;

/** Matches the names of counters, which rise with responses and visits, but not of their limits. */
const COUNTER =
	/(^|_)(answer|average|completion|count|entrie|number|rate|response|start|submission|total|unread|view|visit)s?(_|$)/;
const LIMIT = /(^|_)(max|min|limit)(_|$)/;

/** Whether an attribute, by its name, changes only if the form is edited. */
function isLasting(value: unknown, attribute: string): boolean {
	const name = snakeCase(attribute);
	const isCounter = parseNumber(value) !== undefined && COUNTER.test(name) && !LIMIT.test(name);
	return findSetting(attribute) !== undefined || (!PASSIVE.test(name) && !isCounter);
}
