import { sumBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { getCreationTimeMs } from '../api/records';
import { parseNumber } from '../api/values';
import type { Delivery } from './deliverEvents';
import { FIRST_PAGE, MIN_FAILURES } from './failures';
import type { Page, Reading, ReadPages } from './readPages';
import { computeDueAtMs, type ListBudget, type Schedule } from './requestBudget';
import { forgetUnlisted, RETENTION_MS, type SeenResponses } from './seenResponses';
import type { FormState, Progress } from './triggerState';

/* Computes the next state of a form: what is seen, and where its next search and its pass go on. See readForm. */

/** A reading of a form, and what became of it. */
export type FormReading = Readonly<{
	form: FormState;
	reading: Reading;
	read: ReadPages;
	delivery: Delivery;
	/** Whether pages were read and their events were delivered. Otherwise the reading counts for nothing. */
	hasRead: boolean;
	/** Whether the reading has failed, other than for lack of time. */
	hasFailed: boolean;
	/** Whether the pass, if it ends here, has listed each response. */
	isPassComplete: boolean;
	budget: ListBudget;
	/** When the poll started, by the service's clock. */
	serviceMs: number;
	nowMs: number;
}>;

/** Until a first pass of a form has ended or started over, its pages are extra requests. */
export function isFirstPass({ seen, progress }: FormState): boolean {
	return progress?.pass?.isFirst ?? seen === undefined;
}

/** Returns the form after a reading. Undelivered events are not recorded, so they are detected again. */
export function computeNextForm(result: FormReading): FormState {
	const { form, reading, hasRead, isPassComplete } = result;
	const moved = computeProgress(result);
	const progress = { ...moved, schedule: computeSchedule(result, moved) };
	if (!hasRead) return { ...form, progress };
	const next = { ...form, seen: computeSeen(result), progress };
	const isPassOver = reading.kind === 'pass' && progress.pass === undefined;
	return isPassOver ? endPass(next, isPassComplete, result.nowMs) : next;
}

/** Returns the same map if nothing has changed. */
function computeSeen({ form, read, delivery }: FormReading): SeenResponses {
	const { seen = new Map() } = form;
	const undelivered = new Set(delivery.undelivered.map(({ id }) => id));
	const delivered = [...read.events.values()].filter(({ id }) => !undelivered.has(id));
	const isSame = read.updates.size === 0 && delivered.length === 0;
	if (isSame) return seen;
	const next = new Map([...seen, ...read.updates]);
	for (const { id, seenAfter } of delivered) next.set(id, seenAfter);
	return next;
}

function computeProgress(result: FormReading): Progress {
	const { form, reading, hasRead, hasFailed } = result;
	const { progress = {} } = form;
	if (hasRead) return reading.kind === 'search' ? endSearch(result) : advancePass(result);
	if (!hasFailed) return progress;
	if (reading.kind === 'search') return leaveSearch(progress);
	const { pass } = progress;
	const failures = (pass?.failures ?? 0) + 1;
	// a page that stays bad must not hold back the pages before it
	const hasToStartOver = pass === undefined || failures >= MIN_FAILURES;
	return { ...progress, next: 'search', pass: hasToStartOver ? undefined : { ...pass, failures } };
}

/** Returns the page where a later reading goes on. Undefined at the end of the list. */
function findResumePage({ read, delivery }: FormReading): string | undefined {
	const [undelivered] = delivery.undelivered;
	return undelivered === undefined
		? read.pages.at(-1)!.next
		: read.pages[undelivered.pageIndex].page;
}

/** A search that stops before its end goes on at its next turn. */
function endSearch(result: FormReading): Progress {
	const { form, reading, read, delivery, serviceMs } = result;
	const progress = form.progress!;
	const search = progress.search!;
	const page = findResumePage(result);
	if (search.order === 'oldestFirst') {
		const lastPage = read.pages.at(-1)!.page;
		return { ...progress, next: 'pass', search: { ...search, page: page ?? lastPage } };
	}
	if (read.stop === 'failed') return leaveSearch(progress);
	const startedAtMs = reading.from === FIRST_PAGE ? serviceMs : search.startedAtMs;
	const isOver = read.stop === 'end' && delivery.undelivered.length === 0;
	const next = isOver
		? { order: search.order, page: FIRST_PAGE, searchedAtMs: startedAtMs ?? serviceMs }
		: { ...search, page: page!, startedAtMs };
	return { ...progress, next: 'pass', search: next };
}

/** The newest responses must not wait for a later page that fails. */
function leaveSearch({ search, ...progress }: Progress): Progress {
	const isNewestFirst = search?.order === 'newestFirst';
	return {
		...progress,
		next: 'pass',
		search: isNewestFirst ? { ...search, page: FIRST_PAGE } : search,
	};
}

function advancePass(result: FormReading): Progress {
	const { form, read, delivery } = result;
	const { pass = { pageCount: 0, ascent: 0, isFirst: isFirstPass(form) } } = form.progress ?? {};
	// a page with an undelivered event is read again
	const passed = read.pages.slice(0, delivery.undelivered[0]?.pageIndex);
	const pageCount = pass.pageCount + passed.length;
	const ascent = pass.ascent + sumBy(passed, computeStep);
	const page = findResumePage(result);
	if (page === undefined) {
		const search = findSearch(result, pageCount, ascent);
		return { ...form.progress, next: 'search', pass: undefined, search };
	}
	const next = { ...pass, page, failures: 0, pageCount, ascent };
	return { ...form.progress, next: 'search', pass: next };
}

/** Returns 1 if the times or numbers of a page rise, -1 if they fall, and 0 if they show no order. */
function computeStep({ records }: Page): number {
	const [first = {}, last = {}] = [records[0], records.at(-1)];
	const compare = (read: (record: IDataObject) => number | undefined) =>
		Math.sign((read(last) ?? NaN) - (read(first) ?? NaN)) || 0;
	// many responses can share a second
	return compare(getCreationTimeMs) || compare(({ number }) => parseNumber(number));
}

/** Finds at the end of a pass where new responses appear. Undefined if the list has one page, or no order. */
function findSearch(
	{ form, read, serviceMs }: FormReading,
	pageCount: number,
	ascent: number,
): Progress['search'] {
	const { page } = read.pages.at(-1)!;
	if (page === FIRST_PAGE || Math.abs(ascent) <= pageCount / 2) return undefined;
	if (ascent > 0) return { order: 'oldestFirst', page, searchedAtMs: serviceMs };
	const { search } = form.progress ?? {};
	if (search?.order === 'newestFirst') return search;
	return { order: 'newestFirst', page: FIRST_PAGE, searchedAtMs: serviceMs };
}

/** After a complete pass, each unseen response is new, and what has been gone for 30 days is forgotten. */
function endPass(form: FormState, isComplete: boolean, nowMs: number): FormState {
	const { baseline, seen = new Map(), forgotAtMs = nowMs } = form;
	if (!isComplete) {
		const isKnown = baseline === undefined || baseline.isFirstPassOver;
		return isKnown ? form : { ...form, baseline: { ...baseline, isFirstPassOver: true } };
	}
	if (nowMs - forgotAtMs < RETENTION_MS) return { ...form, baseline: undefined, forgotAtMs };
	return { ...form, baseline: undefined, seen: forgetUnlisted(seen), forgotAtMs: nowMs };
}

/** A first pass goes on with the next poll, and counts as one request in the end. */
function computeSchedule(
	{ form, read, delivery, hasRead, hasFailed, budget, nowMs }: FormReading,
	{ pass }: Progress,
): Schedule {
	const { schedule } = form.progress ?? {};
	const isFirst = hasRead && isFirstPass(form);
	const pageRequests = read.pages.length + Number(read.error !== undefined);
	const requests = isFirst ? Number(pass === undefined) : pageRequests + delivery.fieldRequests;
	const dueAtMs = computeDueAtMs(schedule, requests, budget);
	// a form that there was no time for keeps its place among the others
	const isTried = hasRead || hasFailed;
	return { readAtMs: isTried ? nowMs : (schedule?.readAtMs ?? 0), dueAtMs };
}
