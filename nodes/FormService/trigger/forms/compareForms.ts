import { isEmpty, isEqual, isObject, mapValues, omit, pickBy, snakeCase, union } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { parseNumber } from '../../api/values';
import { getCreationTimeMs, sortByTime } from '../../api/recordTimes';
import { isRecord, sortKeys } from '../../api/records';
import { findSetting } from '../../settings/settings';
import type { FormEvent, TriggerEvent } from '../../parameters/triggerEvents';
import { computeFingerprint } from '../fingerprints';
import type { ListedForm } from '../formDetails';
import { MINUTE_MS } from '../requestBudget';
import { isWatched, type Watch } from '../triggerParameters';
import { updateAbsences, type FormState, type FormStates } from '../triggerState';

/* Decides which forms in the list of forms are new, and which forms have changed. */

/** A form event that the trigger has detected in the list of forms. */
export type DetectedFormEvent = {
	event: FormEvent;
	form: ListedForm;
	record: ListedForm['record'];
	/** The names of the attributes that have changed. */
	changed?: string[];
	/** The state of the form that the trigger saves after n8n has received the event. */
	stateAfter: FormState;
};

export type FormComparisonRules = Readonly<{
	watch: Watch;
	events: readonly TriggerEvent[];
	/** When the list of forms was first read, by the service's clock. Undefined before the first reading. */
	listedSinceMs?: number;
	/** The first state of a new form. */
	initialState: FormState;
	nowMs: number;
}>;

/**
 * Finds the events of forms that are new or have changed.
 *
 * @returns `detected` has the events, from the oldest form to the newest form. `forms` has the next states of
 * all forms. A form with an event keeps its old state until the event is delivered
 */
export function compareForms(
	formsBefore: FormStates,
	listed: ReadonlyMap<string, ListedForm>,
	rules: FormComparisonRules,
): { forms: Map<string, FormState>; detected: DetectedFormEvent[] } {
	const { watch, nowMs } = rules;
	const isAll = watch.kind === 'all';
	const forms = isAll
		? updateAbsences(formsBefore, (id) => listed.has(id) && isWatched(watch, id), nowMs)
		: new Map(formsBefore);
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
		? computeAttributeFingerprints(form.record)
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
 * The tolerance for comparing the creation time of a form with the first reading of the list. The service
 * rounds times down to the second, and the machines of the service can have different clocks.
 */
const CREATION_TOLERANCE_MS = MINUTE_MS;

/**
 * Whether a form was created after the list was first read. False in the first reading of the list. In later
 * readings, also true for a form without a creation time.
 */
function isCreated({ record }: ListedForm, listedSinceMs: number | undefined): boolean {
	if (listedSinceMs === undefined) return false;
	const createdAtMs = getCreationTimeMs(record);
	return createdAtMs === undefined || createdAtMs >= listedSinceMs - CREATION_TOLERANCE_MS;
}

/**
 * The fingerprints of a form's attributes, by the names of the attributes. Attributes without a value are left
 * out. Attributes that can change although the author has not edited the form are also left out.
 */
export type AttributeFingerprints = Readonly<Record<string, string>>;

/**
 * The length of an attribute's fingerprint in characters. Four characters have 24 bits, so the trigger misses
 * one change in 16 million.
 */
const VALUE_LENGTH = 4;

export function computeAttributeFingerprints(record: IDataObject): AttributeFingerprints {
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
 * Returns the names of the attributes that have changed. An attribute also counts as changed if only one of
 * the two records has the attribute.
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

/**
 * Matches names of times and statistics, such as "updated_at" and "view_stats". Such attributes change although
 * the author does not edit the form.
 */
const TIME_OR_STATISTIC =
	/(^|_)(created|updated|modified|submitted|synced|viewed|last|latest|counts|stats|statistics|analytics)(_|$)/;

/** Matches names of counters, such as "responses_count". A counter rises with each response or visit. */
const COUNTER =
	/(^|_)(answer|average|completion|count|entrie|number|rate|response|start|submission|total|unread|view|visit)s?(_|$)/;
const LIMIT = /(^|_)(max|min|limit)(_|$)/;

/**
 * Whether an attribute changes only if the author edits the form. True for `title: "Feedback"`. False for
 * `updated_at`, and for a counter such as `responses_count: 5`.
 */
function isLasting(value: unknown, attribute: string): boolean {
	const name = snakeCase(attribute);
	const isCounter = parseNumber(value) !== undefined && COUNTER.test(name) && !LIMIT.test(name);
	return findSetting(attribute) !== undefined || (!TIME_OR_STATISTIC.test(name) && !isCounter);
}
