import { max, sumBy } from 'lodash';
import { getCreationTimeMs } from '../api/records';
import { parseNumber } from '../api/values';
import { MIN_FAILURES } from './schedule';
import type { Delivery } from './deliverEvents';
import { FIRST_PAGE, getQuery, type Page, type Reading, type ReadPages } from './readPages';
import { forgetUnlisted, RETENTION_MS, type SeenResponses } from './responseEvents';
import { isFirstPass, type FormState, type Progress } from './triggerState';

/* Computes the next state of a form: what is seen, and where its next search and its pass go on. See readForm. */

/** A reading after its delivery. If its events could not be delivered, it has no pages. */
export type DeliveredPages = ReadPages & Omit<Delivery, 'fieldRequests'>;

/**
 * Returns the form after a reading. Undelivered events are not recorded, so they are detected again.
 *
 * @param serviceMs when the poll started, by the service's clock
 */
export function computeNextForm(read: DeliveredPages, serviceMs: number, nowMs: number): FormState {
	const { form, pages, reading } = read;
	const progress = { ...form.progress, lastReading: createLastReading(read, nowMs) };
	if (pages.length === 0) return { ...form, progress: leavePage(progress, reading) };
	const next = { ...form, progress, seen: computeSeen(read) };
	return reading.kind === 'search'
		? endSearch(next, read, serviceMs)
		: advancePass(next, read, serviceMs, nowMs);
}

/** A first pass costs no budget: without requests to pay for, the form is due with the next poll. */
function createLastReading(
	{ form, pages, reading, requests }: DeliveredPages,
	nowMs: number,
): Progress['lastReading'] {
	const { kind } = reading;
	const isFree = kind === 'pass' && pages.length > 0 && isFirstPass(form);
	return { kind, atMs: nowMs, requests: isFree ? 0 : requests };
}

/** Returns the page where a later reading goes on. Undefined if the reading is over. */
function findResumePage({ isOver, pages, undelivered }: DeliveredPages): string | undefined {
	if (undelivered.length > 0) return getQuery(pages[undelivered[0].pageIndex].url);
	const { nextUrl } = pages[pages.length - 1];
	return isOver || nextUrl === undefined ? undefined : getQuery(nextUrl);
}

/** Returns the same map if nothing has changed. */
function computeSeen({ form, events, updates, undelivered }: DeliveredPages): SeenResponses {
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
	// after three failures, the pages before must be read again, too
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
function endSearch(form: FormState, read: DeliveredPages, serviceMs: number): FormState {
	const { reading, pages, error } = read;
	// a search is planned only if there is one
	const before = form.progress!.search!;
	const update = (search: Search) => ({ ...form, progress: { ...form.progress, search } });
	const page = findResumePage(read);
	if (before.order === 'oldestFirst') {
		return update({ ...before, page: page ?? getQuery(pages.at(-1)!.url) });
	}
	if (error !== undefined) return update(restartSearch(before));
	const { order, unfinishedSinceMs } = before;
	const startMs = reading.from === FIRST_PAGE ? serviceMs : (unfinishedSinceMs ?? serviceMs);
	return page === undefined
		? update({ order, page: FIRST_PAGE, searchedAtMs: startMs })
		: update({ ...before, page, unfinishedSinceMs: startMs });
}

function advancePass(
	form: FormState,
	read: DeliveredPages,
	serviceMs: number,
	nowMs: number,
): FormState {
	const { pages, undelivered } = read;
	const { progress = {} } = form;
	// without a pass under way, the reading has begun at the first page
	const before = progress.pass ?? {
		recordCount: 0,
		total: pages[0].total,
		newest: findNewest(pages[0]),
		isFirst: isFirstPass(read.form),
	};
	// a page with an undelivered event is read again
	const passed = pages.slice(0, undelivered[0]?.pageIndex);
	const recordCount = before.recordCount + sumBy(passed, 'records.length');
	const page = findResumePage(read);
	const pass = { ...before, recordCount };
	const search = progress.search ?? createSearch(serviceMs);
	if (page !== undefined) {
		return { ...form, progress: { ...progress, search, pass: { ...pass, page, failures: 0 } } };
	}
	const next = {
		...progress,
		pass: undefined,
		search: findSearch(search, pass.newest, pages.at(-1)!, serviceMs),
	};
	return endPass({ ...form, progress: next }, pass, nowMs);
}

function createSearch(searchedAtMs: number): Search {
	return { order: 'newestFirst', page: FIRST_PAGE, searchedAtMs };
}

/** Returns the latest creation time on a page, and the highest number, because many responses can share a second. */
function findNewest({ url, nextUrl, records }: Page): Newest {
	// a list in one reply has no order, and reading its times would take most of a poll
	if (getQuery(url) === FIRST_PAGE && nextUrl === undefined) return {};
	return {
		ms: max(records.map(getCreationTimeMs)),
		number: max(records.map((record) => parseNumber(record.number))),
	};
}

/** Returns NaN or 0 if the pages show no order. */
function compareNewest(one: Newest, other: Newest): number {
	return (one.ms ?? NaN) - (other.ms ?? NaN) || (one.number ?? NaN) - (other.number ?? NaN);
}

/** New responses appear on the last page of a pass if its newest response is newer than that of the first page. */
function findSearch(search: Search, first: Newest, lastPage: Page, serviceMs: number): Search {
	const difference = compareNewest(findNewest(lastPage), first);
	if (difference > 0) {
		return { order: 'oldestFirst', page: getQuery(lastPage.url), searchedAtMs: serviceMs };
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
	// as many are seen as the pass has read and the first page announced; a repeated response makes the first number
	// too high, and an empty list proves nothing
	const isComplete = recordCount > 0 && seen.size >= Math.max(recordCount, total);
	if (!isComplete) return form;
	const passCount = (progress?.passCount ?? 0) + 1;
	const next = { ...form, baseline: undefined, forgotAtMs, progress: { ...progress, passCount } };
	const isOld = nowMs - forgotAtMs >= RETENTION_MS && passCount >= MIN_PASSES;
	if (!isOld) return next;
	const restarted = { ...progress, passCount: 0 };
	return { ...next, seen: forgetUnlisted(seen), forgotAtMs: nowMs, progress: restarted };
}
