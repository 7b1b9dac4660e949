import type { IDataObject } from 'n8n-workflow';
import { createdAt, oldestFirst } from '../api/answers/order';
import { formIdOf } from '../api/records';
import type { Watch } from './dependencies';
import type { ListedForm } from './memory';
import { KnownResponses, REMEMBERED_DAYS } from './knownResponses';
import { DAY_MS, MINUTE_MS } from './schedule';
import type { FormState, State } from './stateCodec';

/** Nothing is known: all responses are new. */
export const nothing: FormState = { known: new KnownResponses(0) };

/** The trigger is yet to begin with the form: its first poll takes what is there for known. */
export const unread: FormState = {};

/** The IDs of the forms that are polled. */
export function watchedIds(watch: Watch, forms: State['forms']): string[] {
	if (watch.kind === 'chosen') return [...new Set(watch.formIds)];
	const except = new Set(watch.except);
	return [...forms]
		.filter(([id, { missingSince }]) => missingSince === undefined && !except.has(id))
		.map(([id]) => id);
}

/** What a trigger on chosen forms goes on from: those that it has left are forgotten at once. */
export function chosenForms(forms: State['forms'], ids: readonly string[]): Map<string, FormState> {
	return new Map(
		ids.flatMap((id) => {
			const state = forms.get(id);
			return state === undefined ? [] : [[id, { known: state.known }] as const];
		}),
	);
}

/** A list of all forms, and how the trigger takes it. */
export type FormList = {
	forms: readonly ListedForm[];
	/** Whether it was read to its end: a cut one does not show that a form has gone. */
	complete: boolean;
	except: readonly string[];
	/** When the trigger read the first such list; undefined when this is the first. */
	listedSince: number | undefined;
	emitExisting: boolean;
	/** Epoch milliseconds. */
	now: number;
};

/**
 * What is known of the forms after a list of all of them. A form that has appeared since the first list is
 * watched from its beginning, unless its time says that it is older. One that has gone is remembered
 * for 30 days.
 *
 * @returns `created`, oldest first, are left out of `forms`: they are new
 */
export function withList(
	before: State['forms'],
	{ forms: listed, complete, except, listedSince, emitExisting, now }: FormList,
): { forms: Map<string, FormState>; created: ListedForm[] } {
	const day = Math.floor(now / DAY_MS);
	const forms = new Map(before);
	const created: ListedForm[] = [];
	const excluded = new Set(except);
	for (const form of listed) {
		const state = forms.get(form.id);
		// what comes while a form is excluded is not delivered when it is watched again
		if (excluded.has(form.id)) forms.set(form.id, unread);
		else if (state !== undefined) forms.set(form.id, { known: state.known });
		else if (isCreatedSince(form.record, listedSince)) created.push(form);
		else forms.set(form.id, emitExisting ? nothing : unread);
	}
	const ids = new Set(listed.map(({ id }) => id));
	for (const [id, { known, missingSince = day }] of forms) {
		if (!complete || ids.has(id)) continue;
		if (day - missingSince > REMEMBERED_DAYS) forms.delete(id);
		else forms.set(id, { known, missingSince });
	}
	return { forms, created: oldestFirst(created) };
}

/** Whether two states of the forms say the same. */
export function areSame(one: State['forms'], other: State['forms']): boolean {
	return (
		one.size === other.size &&
		[...one].every(([id, { known, missingSince }]) => {
			const state = other.get(id);
			return state?.known === known && state?.missingSince === missingSince;
		})
	);
}

/** The service's clock and n8n's differ, and times are often rounded down to the second. */
const CLOCKS_DIFFER_MS = MINUTE_MS;

function isCreatedSince(record: IDataObject, listedSince: number | undefined): boolean {
	if (listedSince === undefined) return false;
	return (createdAt(record) ?? Infinity) >= listedSince - CLOCKS_DIFFER_MS;
}

/** The forms of a list, each once; one without an ID cannot be polled. */
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
