import type { IDataObject } from 'n8n-workflow';
import { createdAt, oldestFirst } from '../api/answers/order';
import { formIdOf } from '../api/records';
import { KnownResponses, REMEMBERED_DAYS } from './knownResponses';
import type { Watch } from './parameters';
import { DAY_MS, MINUTE_MS } from './schedule';
import type { FormState, State } from './stateCodec';

/** A form in the list of all forms. */
export type ListedForm = { id: string; name: string; record: IDataObject };

/** No response is known: all of them are new. */
export function noneKnown(): FormState {
	return { known: new KnownResponses(0) };
}

/** The IDs of the forms that are watched. */
export function watchedIds(watch: Watch, forms: State['forms']): string[] {
	if (watch.kind === 'chosen') return [...new Set(watch.formIds)];
	const except = new Set(watch.except);
	return [...forms]
		.filter(([id, { missingSince }]) => missingSince === undefined && !except.has(id))
		.map(([id]) => id);
}

/** What a trigger on chosen forms continues from: forms that it does not watch any more are forgotten. */
export function chosenForms(forms: State['forms'], ids: readonly string[]): Map<string, FormState> {
	const chosen = new Map<string, FormState>();
	for (const id of ids) {
		const state = forms.get(id);
		if (state !== undefined) chosen.set(id, { known: state.known, since: state.since });
	}
	return chosen;
}

/** How the trigger begins with a form that was there before. */
export type Beginning = {
	/** Whether it delivers all responses. */
	isFromNothing: boolean;
	/** Otherwise, those that were created then or later. Epoch milliseconds of the service. */
	since?: number;
};

/** What is known of a form before its first reading. */
export function initialState({ isFromNothing, since }: Beginning): FormState {
	return isFromNothing ? noneKnown() : { since };
}

/** A list of all forms, and how the trigger uses it. */
export type FormList = {
	forms: readonly ListedForm[];
	/** Whether it was read to its end: otherwise it does not show that a form has left. */
	isWhole: boolean;
	except: readonly string[];
	/** When the trigger read its first list, in epoch milliseconds of the service; undefined at the first. */
	listedSince: number | undefined;
	beginning: Beginning;
	/** Epoch milliseconds. */
	now: number;
};

/**
 * What is known of the forms after a list of all forms. A form that has appeared since the first list is
 * watched from its creation, unless its time says that it is older. A form that has left is remembered
 * for 30 days.
 *
 * @returns `created`: new forms, oldest first, which `forms` does not have yet
 */
export function withList(
	before: State['forms'],
	{ forms: listed, isWhole, except, listedSince, beginning, now }: FormList,
): { forms: Map<string, FormState>; created: ListedForm[] } {
	const day = Math.floor(now / DAY_MS);
	const forms = new Map(before);
	const created: ListedForm[] = [];
	const excluded = new Set(except);
	for (const form of listed) {
		const state = forms.get(form.id);
		// what comes while a form is excluded is not delivered when it is watched again
		if (excluded.has(form.id)) forms.set(form.id, {});
		else if (state !== undefined) forms.set(form.id, listedAgain(state, beginning));
		else if (isCreatedSince(form.record, listedSince)) created.push(form);
		else forms.set(form.id, initialState(beginning));
	}
	const ids = new Set(listed.map(({ id }) => id));
	for (const [id, state] of forms) {
		const { missingSince = day } = state;
		if (!isWhole || ids.has(id)) continue;
		if (day - missingSince > REMEMBERED_DAYS) forms.delete(id);
		else forms.set(id, { ...state, missingSince });
	}
	return { forms, created: oldestFirst(created) };
}

/** A form that is listed; one that was excluded begins now. */
function listedAgain({ known, since }: FormState, beginning: Beginning): FormState {
	if (known !== undefined) return { known };
	return { since: since ?? (beginning.isFromNothing ? undefined : beginning.since) };
}

/** Times are often rounded down to the second, and several machines of a service differ. */
const TOLERANCE_MS = MINUTE_MS;

function isCreatedSince(record: IDataObject, listedSince: number | undefined): boolean {
	if (listedSince === undefined) return false;
	return (createdAt(record) ?? Infinity) >= listedSince - TOLERANCE_MS;
}

/** The forms of a list, each once. A form without an ID cannot be polled. */
export function listedForms(records: readonly IDataObject[]): ListedForm[] {
	const byId = new Map<string, ListedForm>();
	for (const record of records) {
		const id = formIdOf(record);
		if (id === undefined || byId.has(id)) continue;
		const { name } = record;
		byId.set(id, { id, name: typeof name === 'string' && name.trim() !== '' ? name : id, record });
	}
	return [...byId.values()];
}
