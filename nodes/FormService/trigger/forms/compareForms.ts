import { isEqual } from 'lodash';
import { getCreationTimeMs, sortByTime } from '../../api/recordTimes';
import type { FormEvent, TriggerEvent } from '../../parameters/triggerEvents';
import type { ListedForm } from '../formNames';
import { MINUTE_MS } from '../requestBudget';
import { isWatched, type Watch } from '../triggerParameters';
import type { FormState } from '../triggerState';
import { updateAbsences, type FormStates } from '../watchedForms';
import { fingerprintAttributes, findChangedAttributes } from './formAttributes';

/** Which listed forms are watched, and which are new or changed. */

/** An event of a form. */
export type DetectedFormEvent = {
	event: FormEvent;
	form: ListedForm;
	record: ListedForm['record'];
	/** The attributes that have changed. */
	changed?: string[];
	/** The state of the form once n8n has the event. */
	stateAfter: FormState;
};

export type FormComparisonRules = Readonly<{
	watch: Watch;
	events: readonly TriggerEvent[];
	/** When the list was first read, by the service's clock. */
	listedSinceMs?: number;
	/** The state of a form that was created since then. */
	initialState: FormState;
	nowMs: number;
}>;

/**
 * Finds new and changed forms.
 *
 * @returns the states of the watched forms without the events, and the events, oldest form first
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

/** Times are often rounded down to the second, and several machines of a service differ. */
const CLOCK_TOLERANCE_MS = MINUTE_MS;

/** Whether a form was created since the list was first read; without a time, it was. */
function isCreated({ record }: ListedForm, listedSinceMs: number | undefined): boolean {
	if (listedSinceMs === undefined) return false;
	const createdAtMs = getCreationTimeMs(record);
	return createdAtMs === undefined || createdAtMs >= listedSinceMs - CLOCK_TOLERANCE_MS;
}
