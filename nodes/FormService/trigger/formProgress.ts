import { max, sumBy } from 'lodash';
import { getCreationTimeMs } from '../api/records';
import { parseNumber } from '../api/values';
import { MIN_FAILURES } from './schedule';
import {
	FIRST_PAGE,
	type DetectedEvent,
	type Page,
	type Reading,
	type ReadPages,
} from './readPages';
import { forgetUnlisted, RETENTION_MS, type SeenResponses } from './responseEvents';
import { isFirstPass, type FormState, type Progress } from './triggerState';

/* Computes the next state of a form: what is seen, and where its next search and its pass go on. See readForm. */

/** A reading after its delivery. A reading whose events could not be delivered has no pages. */
export type ReadingResult = ReadPages &
	Readonly<{
		reading: Reading;
		/** The events that found no capacity or time, in the order of their pages. */
		undelivered: readonly DetectedEvent[];
		requests: number;
		/** When the poll started, by the service's clock. */
		serviceMs: number;
		nowMs: number;
	}>;

/** Returns the form after a reading. Undelivered events are not recorded, so they are detected again. */
export function computeNextForm(result: ReadingResult): FormState {
	const { form, pages, reading } = result;
	const progress = { ...form.progress, lastReading: createLastReading(result) };
	if (pages.length === 0) return { ...form, progress: leavePage(progress, reading) };
	const next = { ...form, progress, seen: computeSeen(result) };
	return reading.kind === 'search' ? endSearch(next, result) : advancePass(next, result);
}

/** The requests of a first pass are extra, so the form is due with the next poll. */
function createLastReading(result: ReadingResult): Progress['lastReading'] {
	const { form, pages, reading, requests, nowMs } = result;
	const { kind } = reading;
	const isExtra = kind === 'pass' && pages.length > 0 && isFirstPass(form);
	return { kind, atMs: nowMs, requests: isExtra ? 0 : requests };
}

/** Returns the page where a later reading goes on. Undefined if the reading is over. */
function findResumePage({ isOver, pages, undelivered }: ReadingResult): string | undefined {
	if (undelivered.length > 0) return pages[undelivered[0].pageIndex].page;
	return isOver ? undefined : pages.at(-1)?.next;
}

/** Returns the same map if nothing has changed. */
function computeSeen({ form, events, updates, undelivered }: ReadingResult): SeenResponses {
	const { seen = new Map() } = form;
	const undeliveredIds = new Set(undelivered.map(({ id }) => id));
	const delivered = [...events.values()].filter(({ id }) => !undeliveredIds.has(id));
	if (updates.size === 0 && delivered.length === 0) return seen;
	const next = new Map([...seen, ...updates]);
	for (const { id, seenAfter } of delivered) next.set(id, seenAfter);
	return next;
}

/** Decides where to go on after a page that could not be read. */
function leavePage(progress: Progress, { kind }: Reading): Progress {
	const { pass, search } = progress;
	if (kind === 'search') return { ...progress, search: search && restartSearch(search) };
	const failures = (pass?.failures ?? 0) + 1;
	// a page that stays bad must not hold back the pages before it
	const isKept = pass !== undefined && failures < MIN_FAILURES;
	return { ...progress, pass: isKept ? { ...pass, failures } : undefined };
}

type Search = NonNullable<Progress['search']>;

type Newest = NonNullable<Progress['pass']>['newest'];

/** The newest responses must not wait for a later page that fails. */
function restartSearch(search: Search): Search {
	return search.order === 'newestFirst' ? { ...search, page: FIRST_PAGE } : search;
}

/** A search that stops before its end goes on at its next turn. */
function endSearch(form: FormState, result: ReadingResult): FormState {
	const { reading, pages, error, serviceMs } = result;
	// a search is planned only if there is one
	const before = form.progress!.search!;
	const update = (search: Search) => ({ ...form, progress: { ...form.progress, search } });
	const page = findResumePage(result);
	if (before.order === 'oldestFirst') {
		return update({ ...before, page: page ?? pages.at(-1)!.page });
	}
	if (error !== undefined) return update(restartSearch(before));
	const { order, startedAtMs } = before;
	const startMs = reading.from === FIRST_PAGE ? serviceMs : (startedAtMs ?? serviceMs);
	return page === undefined
		? update({ order, page: FIRST_PAGE, searchedAtMs: startMs })
		: update({ ...before, page, startedAtMs: startMs });
}

function advancePass(form: FormState, result: ReadingResult): FormState {
	const { pages, undelivered, serviceMs } = result;
	const { progress = {} } = form;
	// without a pass under way, the reading has begun at the first page
	const before = progress.pass ?? {
		recordCount: 0,
		total: pages[0].total,
		newest: findNewest(pages[0]),
		isFirst: isFirstPass(result.form),
	};
	// a page with an undelivered event is read again
	const passed = pages.slice(0, undelivered[0]?.pageIndex);
	const recordCount = before.recordCount + sumBy(passed, 'records.length');
	const page = findResumePage(result);
	const pass = { ...before, recordCount };
	const search = progress.search ?? createSearch(serviceMs);
	if (page !== undefined) {
		return { ...form, progress: { ...progress, search, pass: { ...pass, page, failures: 0 } } };
	}
	const next = {
		...progress,
		pass: undefined,
		search: findSearch(search, pass.newest, result),
	};
	return endPass({ ...form, progress: next }, pass, result.nowMs);
}

function createSearch(searchedAtMs: number): Search {
	return { order: 'newestFirst', page: FIRST_PAGE, searchedAtMs };
}

/** Returns the latest creation time on a page, and the highest number, because many responses can share a second. */
function findNewest({ page, next, records }: Page): Newest {
	// a list in one reply has no order, and reading its times would take most of a poll
	if (page === FIRST_PAGE && next === undefined) return {};
	return {
		ms: max(records.map(getCreationTimeMs)),
		number: max(records.map((record) => parseNumber(record.number))),
	};
}

/** Returns NaN or 0 if the pages show no order. */
function compareNewest(one: Newest, other: Newest): number {
	return (one.ms ?? NaN) - (other.ms ?? NaN) || (one.number ?? NaN) - (other.number ?? NaN);
}

/** Finds where new responses appear: on the last page of a pass if its newest response is newer than the first page's. */
function findSearch(search: Search, first: Newest, { pages, serviceMs }: ReadingResult): Search {
	const lastPage = pages.at(-1)!;
	const difference = compareNewest(findNewest(lastPage), first);
	if (difference > 0) {
		return { order: 'oldestFirst', page: lastPage.page, searchedAtMs: serviceMs };
	}
	const hasTurned = search.order === 'oldestFirst' && difference < 0;
	return hasTurned ? createSearch(serviceMs) : search;
}

/** A deletion can hide a response from one pass, but hardly from many in a row. */
const MIN_PASSES = 20;

/** After a complete pass, each unseen response is new, and what has been gone for 30 days is forgotten. */
function endPass(
	form: FormState,
	{ recordCount, total = 0 }: { recordCount: number; total?: number },
	nowMs: number,
): FormState {
	const { progress, seen = new Map(), forgotAtMs = nowMs } = form;
	// if the pass has missed a response, fewer are seen than it has read (another page has repeated one) or than the
	// first page announced. An empty list proves nothing
	const isComplete = recordCount > 0 && seen.size >= Math.max(recordCount, total);
	if (!isComplete) return form;
	const passCount = (progress?.passCount ?? 0) + 1;
	const next = { ...form, baseline: undefined, forgotAtMs, progress: { ...progress, passCount } };
	const isOld = nowMs - forgotAtMs >= RETENTION_MS && passCount >= MIN_PASSES;
	if (!isOld) return next;
	const restarted = { ...progress, passCount: 0 };
	return { ...next, seen: forgetUnlisted(seen), forgotAtMs: nowMs, progress: restarted };
}
