import type { IDataObject } from 'n8n-workflow';
import { getCreationTimeMs } from '../api/recordTimes';
import { getCause, isCanceled } from '../api/errors';
import { parseNumber } from '../api/parseValues';
import { MAX_PAGES, type PagePosition } from '../api/replies/fetchPages';
import { computeMaxRequests, countUnusedRequests, isDue } from './requestBudget';
import type { FetchedPage, ListSlice } from './fetchSlice';
import type { FormState } from './triggerState';

/**
 * Where the readings of a form stand. A poll of a form reads the newest responses, if the list has them at
 * one end, and then some more of all pages, which takes several polls and begins again at its end. Pure.
 */

export type PassKind = 'newest' | 'all';

/** Whether the first reading of all pages is under way: it waits for nothing while it advances. */
export function isFirstFullPass({ known, baseline, all }: FormState): boolean {
	return known === undefined || (baseline !== undefined && all?.next !== undefined);
}

/**
 * @param spacingMs how long the form waits for each of its requests
 * @param isAllWaiting whether the reading of all pages waits after a failure
 */
export function isFormDue(
	state: FormState,
	spacingMs: number,
	nowMs: number,
	isAllWaiting = false,
): boolean {
	const { known, pace } = state;
	const isAdvancing = known !== undefined && isFirstFullPass(state) && !isAllWaiting;
	return pace === undefined || isAdvancing || isDue(pace, spacingMs, nowMs);
}

/** Where a reading begins, undefined for the first page, and how far it goes. */
export type SlicePlan = {
	from?: PagePosition;
	maxRequests: number;
	/** A page that ends with a known response ends the reading: older pages have no new ones. */
	isUntilKnown: boolean;
};

/** Whether both readings begin with the same page, so that one of them does for both. */
export function haveSameStart({ newest, all }: FormState): boolean {
	return newest !== undefined && getIndex(newest.next) === getIndex(all?.next);
}

const getIndex = (position: PagePosition | undefined) => position?.pagesBefore ?? 0;

/**
 * What a poll reads of a form. Of all pages, it reads one, and those for which there was time while n8n did
 * not poll.
 *
 * @param lastPollAtMs when n8n polled before; undefined on the first poll of the process
 */
export function planSlice(
	state: FormState,
	scope: PassKind,
	spacingMs: number,
	lastPollAtMs: number | undefined,
	nowMs: number,
): SlicePlan {
	const { newest, pace = { atMs: 0, requests: 0 } } = state;
	const isOfNewest = scope === 'newest' || haveSameStart(state);
	const most = computeMaxRequests(spacingMs);
	const unused = countUnusedRequests(pace, spacingMs, lastPollAtMs, nowMs);
	// the newest responses have taken one of them
	const step = Math.min(Math.max(1, newest === undefined ? 1 + unused : unused), most);
	// from the last known page on, the next page has to be read as well
	const rest = isFirstFullPass(state) ? MAX_PAGES : step;
	return {
		from: state[scope]?.next,
		maxRequests: isOfNewest ? Math.max(2, most) : rest,
		isUntilKnown: isOfNewest && newest?.end === 'first',
	};
}

/**
 * Where the readings of a form stand after a part was read; at least one page was.
 *
 * @param again the page that has to be read again, because there was no room for its events
 */
export function advancePass(
	state: FormState,
	scope: PassKind,
	part: ListSlice,
	again: PagePosition | undefined,
): FormState {
	const next = again ?? findNext(state, scope, part);
	if (scope === 'newest') return moveNewest(state, part, next);
	const order = addToOrder(state.all?.next && state.all.order, part.pages);
	const last = part.pages.at(-1)!;
	const pages = last.pagesBefore + (last.isLast ? 1 : 2);
	if (!part.isEnd || next !== undefined) {
		const all = { next: next && toPosition(next), order };
		// a long first reading need not end before new responses are noticed
		const isEarly = isFirstFullPass(state) && pages >= MIN_PAGES;
		const isFirst = isEarly && findNewestEnd(order, last) === 'first';
		return { ...state, all, newest: state.newest ?? (isFirst ? { end: 'first' } : undefined) };
	}
	const end = pages < MIN_PAGES ? undefined : findNewestEnd(order, last);
	const isSame = end === state.newest?.end;
	const newest = end && { end, next: end === 'last' ? toPosition(last) : undefined };
	// from now on, every unknown response is new
	return { ...state, all: {}, baseline: undefined, newest: isSame ? state.newest : newest };
}

function moveNewest(state: FormState, part: ListSlice, next: PagePosition | undefined): FormState {
	const { end } = state.newest!;
	// a list that has become shorter has nothing at its former last page
	if (end === 'last' && part.pages[0].records.length === 0) return forgetNewest(state);
	const from = next ?? (end === 'last' ? part.pages.at(-1) : undefined);
	return { ...state, newest: { end, next: from && toPosition(from) } };
}

/** After so many failures in a row, a page is given up and the reading begins at the first page. */
const MAX_FAILURES = 3;

/**
 * Where the readings stand if no page could be read.
 *
 * @param failures how often in a row the page failed, with this time
 */
export function restartPass(
	state: FormState,
	scope: PassKind,
	error: unknown,
	failures: number,
): FormState {
	if (state[scope]?.next === undefined || isCanceled(error)) return state;
	// such as a cursor that has expired, or the last page of a list that has become shorter
	const isUnreachable = getCause(error) === 'configuration-invalid';
	if (!isUnreachable && failures < MAX_FAILURES) return state;
	return scope === 'newest' ? forgetNewest(state) : { ...state, all: {} };
}

/** Where the newest responses are is not known any more, until all pages were read again. */
function forgetNewest(state: FormState): FormState {
	return { ...state, newest: undefined, all: {} };
}

/** Where a reading goes on; undefined if it has come to its end, or begins again after an error. */
function findNext(state: FormState, scope: PassKind, part: ListSlice): PagePosition | undefined {
	const { pages, isEnd, error, isEnough } = part;
	const last = pages.at(-1)!;
	if (isEnd || (isEnough && scope === 'newest')) return undefined;
	if (error === undefined) return last.next;
	const before = state[scope]?.next?.pagesBefore ?? -1;
	return last.pagesBefore > before ? last : undefined;
}

/** Where a page stands in its list. */
function toPosition({ url, pagesBefore, recordsBefore }: PagePosition): PagePosition {
	return { url, pagesBefore, recordsBefore };
}

/** Lists of fewer pages have no reading of the newest responses: all pages are read about as soon. */
const MIN_PAGES = 3;

/** On how many pages of a reading the times, or else the numbers, fell or rose from the first record to the last. */
type Order = NonNullable<NonNullable<FormState['all']>['order']>;

function addToOrder(
	{ falls, rises }: Order = { falls: 0, rises: 0 },
	pages: ListSlice['pages'],
): Order {
	const steps = pages.map(({ records }) => {
		const [first, last] = [records[0] ?? {}, records.at(-1) ?? {}].map(readOrder);
		return last.time - first.time || last.number - first.number;
	});
	return {
		falls: falls + steps.filter((step) => step < 0).length,
		rises: rises + steps.filter((step) => step > 0).length,
	};
}

function readOrder(record: IDataObject): { time: number; number: number } {
	return { time: getCreationTimeMs(record) ?? 0, number: parseNumber(record.number) ?? 0 };
}

/** So many times as many pages in one direction as in the other one make an order. */
const CLEARLY = 4;

/** At which end a list has its newest responses. Only numbered pages can begin with the last one. */
function findNewestEnd(
	{ falls, rises }: Order,
	{ isNumbered }: FetchedPage,
): 'first' | 'last' | undefined {
	if (falls > CLEARLY * rises) return 'first';
	return isNumbered && rises > CLEARLY * falls ? 'last' : undefined;
}
