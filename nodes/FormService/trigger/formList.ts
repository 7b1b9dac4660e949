import type { IDataObject } from 'n8n-workflow';
import { createdAt, oldestFirst } from '../api/answers/order';
import { clock } from '../api/clock';
import { endpoints, targetOf } from '../api/endpoints';
import { asNodeError } from '../api/errors';
import { formIdOf } from '../api/records';
import { cutShort } from './errors';
import { failed, succeeded } from './failures';
import { REMEMBERED_DAYS } from './knownResponses';
import { decideReading, payFor, readListing } from './listing';
import { LIST } from './memory';
import type { ListedForm } from './memory';
import { initialState, serviceTime, share } from './pollRun';
import type { Listing, PollRun } from './pollRun';
import { readWhole } from './reading';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './schedule';
import type { FormState } from './stateCodec';

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

/**
 * Reads the list of all forms if it is due, and takes note of the forms. A form that has appeared since the
 * first list is watched from its creation, unless its time says that it is older. A form that has left is
 * remembered for 30 days.
 *
 * @param except the IDs of forms that are excluded
 * @returns new forms, oldest first, of which nothing is noted yet
 */
export async function listForms(run: PollRun, except: readonly string[]): Promise<ListedForm[]> {
	const { list } = run.memory;
	share(run, list, 1, DAY_MS / HOUR_MS);
	await updateList(run);
	if (list.forms === undefined) return [];
	const day = Math.floor(run.startedAt / DAY_MS);
	const initial = initialState(run);
	const created: ListedForm[] = [];
	const { forms } = run;
	for (const form of list.forms) {
		const state = forms.get(form.id);
		// responses that come while a form is excluded are not delivered later
		if (except.includes(form.id)) forms.set(form.id, {});
		else if (state !== undefined) forms.set(form.id, listedAgain(state, initial));
		else if (isCreatedSince(form.record, run.listedSince)) created.push(form);
		else forms.set(form.id, initial);
	}
	const ids = new Set(list.forms.map(({ id }) => id));
	for (const [id, state] of list.isWhole ? forms : []) {
		const { missingSince = day } = state;
		if (ids.has(id)) continue;
		if (day - missingSince > REMEMBERED_DAYS) forms.delete(id);
		else forms.set(id, { ...state, missingSince });
	}
	run.formsIfDiscarded = new Map(forms);
	run.listedSince ??= serviceTime(run);
	return oldestFirst(created);
}

async function updateList(run: PollRun): Promise<void> {
	const { list } = run.memory;
	const listing: Listing = { about: LIST, memory: list, isFirst: run.listedSince === undefined };
	if (decideReading(run, listing) === undefined) return;
	const startedAt = clock.now();
	const reading = await readListing(run, listing, 'whole');
	if (reading === undefined) return;
	const { records, isWhole } = reading;
	if (isWhole || !listing.isFirst) {
		Object.assign(list, { forms: listedForms(records), isWhole });
		run.hasResult = true;
		succeeded(run, listing, true);
	} else {
		const error = cutShort(run.context.n8n.getNode(), 'firstForms');
		failed(run, listing, { startedAt, isWhole: true, isAboutForm: false }, error);
	}
}

/** A form that is listed; one that was excluded begins now. */
function listedAgain({ known, since }: FormState, initial: FormState): FormState {
	return known !== undefined ? { known } : { since: since ?? initial.since };
}

/** Times are often rounded down to the second, and several machines of a service differ. */
const TOLERANCE_MS = MINUTE_MS;

function isCreatedSince(record: IDataObject, listedSince: number | undefined): boolean {
	if (listedSince === undefined) return false;
	return (createdAt(record) ?? Infinity) >= listedSince - TOLERANCE_MS;
}

/** The longest time that found responses wait for the name of their form. */
const NAME_MS = 3_000;

/**
 * The name of a form; null if it is not known. If neither the parameters nor the last list have the name,
 * the list of all forms is read, once an hour at most, and for three seconds at most.
 */
export async function nameOf(run: PollRun, id: string): Promise<string | null> {
	const { context, memory, parameters, until } = run;
	const { list } = memory;
	const known = parameters.names.get(id) ?? nameIn(list.forms, id);
	const startedAt = clock.now();
	if (known !== null || parameters.watch.kind === 'all' || startedAt >= until) return known;
	const listing: Listing = { about: LIST, memory: list, isFirst: false };
	if (decideReading(run, listing) === undefined) return null;
	try {
		const inTime = { ...run, timeUp: clock.timeout(NAME_MS) };
		const { records, isWhole } = await readWhole(
			inTime,
			targetOf(context.account, endpoints.listForms),
		);
		if (isWhole) Object.assign(list, { forms: listedForms(records), isWhole });
	} catch (error) {
		const { message } = asNodeError(context.n8n.getNode(), error);
		context.n8n.logger.info(`The names of the forms could not be read: ${message}`);
	} finally {
		payFor(run, listing, { startedAt, requests: 1, isWhole: true }, false);
	}
	return nameIn(list.forms, id);
}

/** The name of a form in a list of forms; null if the list does not have it. */
export function nameIn(forms: readonly ListedForm[] | undefined, id: string): string | null {
	return forms?.find((form) => form.id === id)?.name ?? null;
}
