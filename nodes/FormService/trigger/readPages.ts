import type { IDataObject } from 'n8n-workflow';
import { clock, waitUnlessAborted, yieldIfDue } from '../api/clock';
import { createTarget, endpoints, type Target } from '../api/endpoints';
import { getCreationTimeMs, getId } from '../api/records';
import { fetchPages, fetchRecords, type ListPage } from '../api/replies/fetchPages';
import { hasReason } from '../api/errors';
import { createRequestError } from '../api/requestContext';
import { createFailure } from '../api/failures';
import type { ResponseEvent } from '../parameters/triggerEvents';
import {
	detectEvent,
	computeFingerprint,
	type Fingerprint,
	type SeenResponse,
} from './responseEvents';
import type { PollContext } from './pollContext';
import { isFirstPass, type FormState } from './triggerState';

/* Fetches pages of a form, and compares their responses with the seen responses. */

/** A page is identified by the query of its URL. The first page of a list has none. */
export const FIRST_PAGE = '';

export type Page = ListPage & { ids: readonly Fingerprint[] };

/** Returns the query of a page, by which the state keeps the page. */
export function getQuery(url: string): string {
	return new URL(url).search;
}

/** An event that a reading has detected. `seenAfter` is recorded once n8n has the event. */
export type DetectedEvent = Readonly<{
	event: ResponseEvent;
	record: IDataObject;
	id: Fingerprint;
	seenAfter: SeenResponse;
	pageIndex: number;
}>;

/** What a poll reads of a form, see readForm. */
export type Reading = Readonly<{
	formId: string;
	kind: 'search' | 'pass';
	/** The query of the page where it starts. */
	from: string;
	maxPages: number;
}>;

/** What a reading has found. */
export type ReadPages = {
	reading: Reading;
	/** The form with its baseline. */
	form: FormState;
	pages: Page[];
	/** How many requests were sent. */
	requests: number;
	/** The events of chosen kinds, before filters apply. */
	events: Map<Fingerprint, DetectedEvent>;
	/** What the trigger records of responses that have changed without an event. */
	updates: Map<Fingerprint, SeenResponse>;
	/** Whether there is nothing more to read. Otherwise, a later reading goes on. */
	isOver: boolean;
	/** Why a page could not be read. */
	error?: unknown;
};

/**
 * Reads pages until there are no more or enough of them, or a page cannot be read. Never throws.
 *
 * @param maxEvents after so many events, the reading stops
 */
export async function readPages(
	context: PollContext,
	reading: Reading,
	formBefore: FormState,
	maxEvents: number,
): Promise<ReadPages> {
	const { request, readUntilMs } = context;
	const { formId, from, maxPages } = reading;
	const target = createTarget(request.account, endpoints.listResponses, { formId });
	const found: ReadPages = {
		reading,
		form: formBefore,
		pages: [],
		requests: 0,
		events: new Map(),
		updates: new Map(),
		isOver: false,
	};
	try {
		for await (const listPage of fetchPagesInTime(context, target, from)) {
			const ids = listPage.records.map((record) => computeFingerprint(getId(record)!));
			const page = { ...listPage, ids };
			found.pages.push(page);
			found.requests += 1;
			// the first reply shows the service's clock
			found.form = ensureBaseline(context, found.form);
			await comparePage(found, page, context);
			found.isOver = page.nextUrl === undefined || isEndOfSearch(reading, page, formBefore);
			const isFull = found.events.size >= maxEvents || found.pages.length >= maxPages;
			if (found.isOver || isFull || clock.now() >= readUntilMs) break;
		}
		return found;
	} catch (error) {
		found.requests += 1;
		// running out of time after the first page is no failure
		const isLate = found.pages.length > 0 && hasReason(error, 'pollTimedOut');
		return isLate ? found : { ...found, error };
	}
}

/** Adds the baseline of a new form, by the service's clock as the latest reply has shown it. */
export function ensureBaseline(context: PollContext, form: FormState = {}): FormState {
	if (form.seen !== undefined || form.baseline !== undefined) return form;
	const { cache, parameters, startedAtMs } = context;
	// the service rounds `created_at` down to the second
	const sinceMs = Math.floor((startedAtMs + cache.clockOffsetMs) / 1_000) * 1_000;
	const { emitExistingSinceMs } = parameters;
	return { ...form, baseline: { sinceMs, emitExistingSinceMs } };
}

/** Compares the responses of a page. If two pages have the same response, it has at most one event in a reading. */
async function comparePage(
	{ form, events, updates, pages }: ReadPages,
	{ records, ids }: Page,
	{ cache, parameters }: PollContext,
): Promise<void> {
	const { seen = new Map(), baseline } = form;
	const rules = { ...parameters, baseline, isFirstPass: isFirstPass(form) };
	const serviceMs = clock.now() + cache.clockOffsetMs;
	const pageIndex = pages.length - 1;
	for (const [index, record] of records.entries()) {
		await yieldIfDue();
		const id = ids[index];
		if (events.has(id)) continue;
		const before = updates.get(id) ?? seen.get(id);
		const { event, seenAfter } = detectEvent(record, serviceMs, before, rules);
		if (event !== undefined) {
			events.set(id, { event, record, id, seenAfter, pageIndex });
		} else if (seenAfter !== before) updates.set(id, seenAfter);
	}
}

/** Time servers keep the clocks of machines within this difference. */
const CLOCK_TOLERANCE_MS = 2_000;

/**
 * Whether a list sorted newest first has no unread new response after this page: its last response is seen and older
 * than the last finished search. That it is seen is not enough, because a pass can have read this page alone.
 */
function isEndOfSearch(
	{ kind }: Reading,
	{ records, ids }: Page,
	{ seen = new Map(), progress }: FormState,
): boolean {
	const { order, searchedAtMs = 0 } = progress?.search ?? {};
	if (kind === 'pass' || order === 'oldestFirst') return false;
	const createdAtMs = getCreationTimeMs(records.at(-1) ?? {}) ?? Infinity;
	return seen.has(ids.at(-1)!) && createdAtMs < searchedAtMs - CLOCK_TOLERANCE_MS;
}

/**
 * Fetches pages of a list, one request for each page, until the caller stops. Also measures how far the service's
 * clock is ahead.
 *
 * @param from the query of the first page; the path is always that of the list
 * @throws NodeApiError if a page cannot be read, or the time is up
 */
async function* fetchPagesInTime(
	context: PollContext,
	target: Target,
	from: string,
): AsyncGenerator<ListPage, void> {
	const url = new URL(target.url);
	url.search = from;
	const pages = fetchPages(context.request, target, url.href);
	for (;;) {
		const { value: page, done } = await waitInTime(context, pages.next());
		if (done) return;
		context.cache.clockOffsetMs = computeClockOffset(page, clock.now());
		yield page;
	}
}

/** The `Date` header has whole seconds. If it can lie between sending and now, the clocks count as equal. */
function computeClockOffset(page: ListPage | undefined, nowMs: number): number {
	if (page?.dateHeaderMs === undefined) return 0;
	const { dateHeaderMs, sentAtMs } = page;
	const latestMs = dateHeaderMs + 999;
	const isEqual = dateHeaderMs <= nowMs && latestMs >= sentAtMs;
	return isEqual ? 0 : latestMs - sentAtMs;
}

/**
 * Fetches a whole list, and measures how far the service's clock is ahead.
 *
 * @throws NodeApiError if the list cannot be fetched, or the time is up
 */
export async function fetchListInTime(
	context: PollContext,
	target: Target,
): Promise<{ records: readonly IDataObject[]; requests: number }> {
	const fetching = fetchRecords(context.request, target);
	const { lastPage, ...list } = await waitInTime(context, fetching);
	context.cache.clockOffsetMs = computeClockOffset(lastPage, clock.now());
	return list;
}

/** @throws NodeApiError if the work fails, or the time is up */
async function waitInTime<T>({ request }: PollContext, work: Promise<T>): Promise<T> {
	const createTimeout = () => createRequestError(request, createFailure('pollTimedOut'));
	return await waitUnlessAborted(work, request.signal, createTimeout);
}
