import { addPass, isRetentionOver } from './retention';
import type { TriggerParameters } from './triggerParameters';
import type { FormState, TriggerState } from './triggerState';

/** Which forms a trigger watches. */

/** The states of forms by their IDs. */
export type FormStates = ReadonlyMap<string, FormState>;

/** Returns the IDs of the forms whose responses are watched. */
export function getWatchedFormIds(
	{ watch, lists }: TriggerParameters,
	forms: FormStates,
): string[] {
	if (!lists.responses) return [];
	if (watch.kind === 'chosen') return [...watch.formIds];
	const listed = [...forms].filter(([, { absence }]) => absence === undefined);
	return listed.map(([id]) => id).filter((id) => !watch.except.includes(id));
}

/**
 * Returns the states with what the parameters have changed: forms that are not watched any more are absent,
 * and attributes are kept only for Form Updated.
 */
export function applyParameters(
	{ watch, events }: TriggerParameters,
	state: TriggerState,
	nowMs: number,
): { forms: Map<string, FormState>; listedSinceMs: number | undefined } {
	const isAll = watch.kind === 'all';
	const forms = isAll
		? new Map(state.forms)
		: updateAbsences(state.forms, (id) => watch.formIds.includes(id), nowMs);
	for (const [id, { attributes, ...rest }] of forms) {
		if (attributes !== undefined && !events.includes('formUpdated')) forms.set(id, rest);
	}
	// forms that exist when all forms are chosen again are not new
	return { forms, listedSinceMs: isAll ? state.listedSinceMs : undefined };
}

/**
 * Returns the states without forms that have been absent for 30 days and 30 passes. If a form comes back
 * before, the trigger continues where it was.
 */
export function updateAbsences(
	forms: FormStates,
	isPresent: (id: string) => boolean,
	nowMs: number,
): Map<string, FormState> {
	const updated = new Map<string, FormState>();
	for (const [id, form] of forms) {
		const { absence, ...rest } = form;
		if (isPresent(id)) updated.set(id, absence === undefined ? form : rest);
		else if (!isRetentionOver(absence, nowMs)) {
			const counted = addPass(absence, nowMs);
			updated.set(id, counted === absence ? form : { ...form, absence: counted });
		}
	}
	return updated;
}
