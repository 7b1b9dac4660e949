import { isEqual } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { getCreationTimeMs, sortByTime } from '../api/recordTimes';
import type { FormEvent, TriggerEvent } from '../parameters/triggerEvents';
import { fingerprintAttributes, findChangedAttributes } from './formAttributes';
import { RETENTION_PASSES, RETENTION_DAYS } from './seenResponses';
import { DAY_MS, MINUTE_MS } from './requestBudget';
import { isWatched, type Watch } from './triggerParameters';
import type { FormState } from './triggerState';

/** Which listed forms are watched, and which are new or changed. */

/** A form as the list of all forms has it. */
export type ListedForm = { id: string; name: string; record: IDataObject };

/** An event of a form. */
export type DetectedFormEvent = {
	event: FormEvent;
	form: ListedForm;
	record: IDataObject;
	/** The attributes that have changed. */
	changed?: string[];
	/** What is known of the form once n8n has the event. */
	after: FormState;
};

type Rules = {
	watch: Watch;
	events: readonly TriggerEvent[];
	/** When the list was first read, in epoch milliseconds of the service. */
	listedSinceMs?: number;
	/** What is known of a form that was created since. */
	created: FormState;
	nowMs: number;
};

/**
 * Takes note of the listed forms that are watched, and finds new and changed ones.
 *
 * @param forms what is known of the forms, which is brought up to date, but for the events
 * @returns the events, oldest form first
 */
export function compareForms(
	forms: Map<string, FormState>,
	listed: ReadonlyMap<string, ListedForm>,
	{ watch, events, listedSinceMs, created, nowMs }: Rules,
): DetectedFormEvent[] {
	const found: DetectedFormEvent[] = [];
	const isAll = watch.kind === 'all';
	if (isAll) updateAbsences(forms, (id) => listed.has(id) && isWatched(watch, id), nowMs);
	for (const form of listed.values()) {
		if (!isWatched(watch, form.id)) {
			// an excluded form is not new when it is watched later
			if (isAll && !forms.has(form.id)) forms.set(form.id, { left: { atMs: nowMs, readings: 0 } });
			continue;
		}
		const known = forms.get(form.id);
		const isNew = isAll && known === undefined && isCreated(form, listedSinceMs);
		const before = known ?? (isNew ? created : {});
		const attributes = events.includes('formUpdated')
			? fingerprintAttributes(form.record)
			: undefined;
		const changed =
			before.attributes && attributes ? findChangedAttributes(before.attributes, attributes) : [];
		const isSame = known !== undefined && isEqual(attributes, known.attributes);
		const after = isSame ? known : { ...before, attributes };
		const event = isNew ? 'formCreated' : 'formUpdated';
		if ((isNew || changed.length > 0) && events.includes(event)) {
			found.push({ event, form, record: form.record, after, changed: isNew ? undefined : changed });
		} else forms.set(form.id, after);
	}
	return sortByTime(found, 'oldest');
}

/**
 * A form that is not watched any more is remembered for 30 days and 30 readings of the list. If the form
 * comes back, the trigger goes on where it was.
 */
export function updateAbsences(
	forms: Map<string, FormState>,
	isStill: (id: string) => boolean,
	nowMs: number,
): void {
	for (const [id, state] of forms) {
		const { left, ...rest } = state;
		const { atMs, readings } = left ?? { atMs: nowMs, readings: 0 };
		if (isStill(id)) {
			if (left !== undefined) forms.set(id, rest);
		} else if (readings < RETENTION_PASSES) {
			forms.set(id, { ...state, left: { atMs, readings: readings + 1 } });
		} else if (nowMs - atMs > RETENTION_DAYS * DAY_MS) forms.delete(id);
	}
}

/** Times are often rounded down to the second, and several machines of a service differ. */
const TOLERANCE_MS = MINUTE_MS;

/** Whether a form was created since the list was first read; without a time, it was. */
function isCreated({ record }: ListedForm, listedSinceMs: number | undefined): boolean {
	if (listedSinceMs === undefined) return false;
	const createdAtMs = getCreationTimeMs(record);
	return createdAtMs === undefined || createdAtMs >= listedSinceMs - TOLERANCE_MS;
}
