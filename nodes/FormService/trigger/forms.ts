import type { IDataObject } from 'n8n-workflow';
import { parseFields } from '../api/answers/fields';
import type { FormField } from '../api/answers/fields';
import { hasUnmatchedAnswers } from '../api/answers/match';
import { getCreationTime, sortOldestFirst } from '../api/answers/order';
import { clock } from '../api/clock';
import { endpoints, createTarget } from '../api/endpoints';
import { asNodeError, NotSent, ServiceError } from '../api/errors';
import { getFormId } from '../api/records';
import { isBackOffOver, isRetryWanted } from './failures';
import { createInitialState, readServiceTimeMs, readSpacingMs } from './input';
import type { PollInput } from './input';
import type { FormMemory, ListedForm } from './memory';
import { PageReader, readWhole } from './reading';
import { addReading, DAY_MS, HOUR_MS, isOver, isPaid, MINUTE_MS } from './schedule';
import type { Cost } from './schedule';
import { REMEMBERED_DAYS } from './state';
import type { Content, FormState } from './state';

/** The forms of a list, each once. A form without an ID cannot be polled. */
export function parseFormList(records: readonly IDataObject[]): ListedForm[] {
	const byId = new Map<string, ListedForm>();
	for (const record of records) {
		const id = getFormId(record);
		if (id === undefined || byId.has(id)) continue;
		const { name } = record;
		byId.set(id, { id, name: typeof name === 'string' && name.trim() !== '' ? name : id, record });
	}
	return [...byId.values()];
}

/** The name of a form in a list of forms; null if the list does not have it. */
export function findListedName(
	forms: readonly ListedForm[] | undefined,
	id: string,
): string | null {
	return forms?.find((form) => form.id === id)?.name ?? null;
}

/** Whether the list of all forms is due. Beside responses, it is read once an hour. */
export function isFormListDue(input: PollInput): boolean {
	const { memory, content, occasion } = input;
	const { list } = memory;
	if (content.listedSinceMs === undefined && occasion !== 'schedule') return true;
	if (isRetryWanted(input, list)) return true;
	if (!isPaid(list.cost, readSpacingMs(input, list), clock.now())) return false;
	return isBackOffOver(input, list);
}

/**
 * Reads the list of all forms.
 *
 * @throws why it could not be read, also if a first list could not be read to its end
 */
export async function readFormList(input: PollInput): Promise<void> {
	const { context, memory, content } = input;
	const { list } = memory;
	const spacingMs = readSpacingMs(input, list);
	const startedAtMs = clock.now();
	const pages = new PageReader(input, createTarget(context.account, endpoints.listForms));
	try {
		const reading = await readWhole(pages);
		const isWhole = reading.kind === 'whole';
		if (!isWhole && reading.error !== undefined) throw reading.error;
		if (!isWhole && content.listedSinceMs === undefined) {
			throw createUnfinishedError(input, 'forms');
		}
		const readAtMs = startedAtMs;
		Object.assign(list, { forms: parseFormList(reading.records), isWhole, readAtMs });
		list.pages = Math.max(1, pages.requests);
	} finally {
		const cost = { startedAtMs, requests: pages.requests };
		list.cost = addReading(list.cost, cost, spacingMs);
	}
}

/** What is known of the forms after a list of them, and the forms that are new in it. */
type NotedForms = { content: Content; created: ListedForm[] };

/**
 * Takes note of the last list of all forms. A form that has appeared since the first list is watched from
 * its creation, unless its time says that it is older. A form that has left is remembered for 30 days.
 *
 * @param except the IDs of forms that are excluded
 * @returns new forms oldest first, of which nothing is noted yet
 */
export function noteForms(input: PollInput, except: readonly string[]): NotedForms {
	const { memory, content } = input;
	const initial = createInitialState(input);
	const { forms: listed, isWhole, readAtMs } = memory.list;
	if (listed === undefined) return { content, created: [] };
	const forms = new Map(content.forms);
	const created: ListedForm[] = [];
	for (const form of listed) {
		const state = forms.get(form.id);
		// responses that come while a form is excluded are not delivered later
		if (except.includes(form.id)) forms.set(form.id, EXCLUDED);
		else if (state !== undefined) forms.set(form.id, renewState(state, initial));
		else if (isCreatedSince(form.record, content.listedSinceMs)) created.push(form);
		else forms.set(form.id, initial);
	}
	const ids = new Set(listed.map(({ id }) => id));
	// a list that could not be read again says nothing about the days since
	const day = Math.floor(readAtMs / DAY_MS);
	for (const [id, state] of isWhole ? forms : []) {
		const { missingSinceDay = day } = state;
		if (ids.has(id)) continue;
		if (day - missingSinceDay > REMEMBERED_DAYS) forms.delete(id);
		else if (state.missingSinceDay === undefined) forms.set(id, { ...state, missingSinceDay });
	}
	const listedSinceMs = content.listedSinceMs ?? readServiceTimeMs(input);
	return { content: { ...content, listedSinceMs, forms }, created: sortOldestFirst(created) };
}

const EXCLUDED: FormState = {};

/** A form that is listed; one that was excluded begins now. */
function renewState({ known, sinceMs }: FormState, initial: FormState): FormState {
	return known !== undefined ? { known } : { sinceMs: sinceMs ?? initial.sinceMs };
}

/** Times are often rounded down to the second, and several machines of a service differ. */
const TOLERANCE_MS = MINUTE_MS;

function isCreatedSince(record: IDataObject, listedSinceMs: number | undefined): boolean {
	if (listedSinceMs === undefined) return false;
	return (getCreationTime(record) ?? Infinity) >= listedSinceMs - TOLERANCE_MS;
}

/** The longest time that found responses wait for the name of their form. */
const NAME_MS = 3_000;

/**
 * The name of a form; null if it is not known. If neither the parameters nor the last list have the name,
 * the list of all forms is read, once an hour at most, and for three seconds at most.
 */
export async function findName(
	input: PollInput,
	form: FormMemory,
	mayRead: boolean,
): Promise<string | null> {
	const { context, memory, parameters, readUntilMs } = input;
	const { list } = memory;
	const known = parameters.names.get(form.id) ?? findListedName(list.forms, form.id);
	const nowMs = clock.now();
	if (known !== null || parameters.watch.kind === 'all') return known;
	if (!mayRead || nowMs >= readUntilMs || !isOver(list.namedAtMs, HOUR_MS, nowMs)) return null;
	list.namedAtMs = nowMs;
	const target = createTarget(context.account, endpoints.listForms);
	const pages = new PageReader(input, target, { timeUp: clock.timeout(NAME_MS) });
	try {
		list.forms = parseFormList((await readWhole(pages)).records);
	} catch (error) {
		const { message } = asNodeError(context.n8n.getNode(), error);
		context.n8n.logger.info(`The names of the forms could not be read: ${message}`);
	} finally {
		addToCost(form, pages.requests);
	}
	return findListedName(list.forms, form.id);
}

/** The form pays for requests that its responses need. */
function addToCost(form: FormMemory, requests: number): void {
	const add = (cost: Cost): Cost => ({ ...cost, requests: cost.requests + requests });
	Object.assign(form, { cost: add(form.cost), shortCost: add(form.shortCost) });
}

/**
 * The fields of a form, for conditions and items. They are read again after an hour, and if answers belong
 * to none of them. If no time is left for that, or if it fails, the last known fields are used.
 *
 * @param records the responses that are to be delivered
 * @returns undefined if none are known yet and no time is left: the responses have to wait
 * @throws why they cannot be read, if none are known; NotSent if the account's queue is full
 */
export async function loadFields(
	input: PollInput,
	form: FormMemory,
	records: readonly IDataObject[],
): Promise<readonly FormField[] | undefined> {
	const { context, parameters, readUntilMs } = input;
	const { fields: known } = form;
	const nowMs = clock.now();
	if (nowMs >= readUntilMs) return known?.fields;
	if (known !== undefined && !isOver(known.triedAtMs, HOUR_MS, nowMs)) {
		if (known.isUnmatched || !hasUnmatchedAnswers(records, known.fields)) return known.fields;
	}
	const target = createTarget(context.account, endpoints.listFields, { formId: form.id });
	const pages = new PageReader(input, target);
	try {
		const reading = await readWhole(pages);
		if (reading.kind === 'part') throw reading.error ?? createUnfinishedError(input, 'fields');
		const fields = parseFields(reading.records, parameters.output);
		const isUnmatched = hasUnmatchedAnswers(records, fields);
		form.fields = { fields, triedAtMs: nowMs, isUnmatched };
		return fields;
	} catch (cause) {
		const error = asNodeError(context.n8n.getNode(), cause);
		if (known === undefined || cause instanceof NotSent) throw error;
		form.fields = { ...known, triedAtMs: nowMs };
		const { message } = error;
		context.n8n.logger.warn(`The fields of form ${form.id} could not be read again: ${message}`);
		return known.fields;
	} finally {
		addToCost(form, pages.requests);
	}
}

/** A list that takes several polls, and has to be read in one. */
function createUnfinishedError({ context }: PollInput, what: 'fields' | 'forms') {
	return new ServiceError(context.n8n.getNode(), {
		message: `Couldn't read all ${what} before n8n's poll timeout`,
		description: 'The next poll tries again.',
		failure: { cause: 'temporarily-unavailable' },
	});
}
