import type { IDataObject } from 'n8n-workflow';
import { clock, waitUnlessAborted } from '../api/clock';
import type { Target } from '../api/endpoints';
import { hasReason } from '../api/errors';
import { fetchPages, type ListPage } from '../api/replies/fetchPages';
import { createRequestError, type RequestContext } from '../api/requestContext';
import { createFailure } from '../api/failures';
import type { PagePosition } from './pagePosition';
import type { PollContext } from './pollContext';

/* Fetches lists within the time of a poll. A poll does not retry, so each page takes one request. */

/** A page of a list. `servedAtMs` is the time at which the service sent the page, by the service's clock. */
export type TimedPage = ListPage &
	PagePosition & {
		readonly servedAtMs: number;
		readonly next?: PagePosition;
	};

/**
 * Fetches the pages of a list one by one, until the caller stops.
 *
 * @param from the page to start with, see `moveToList`; by default, the first page
 * @param deadline aborts when the time for the pages is up; by default, `times.readDeadline`
 * @throws NodeApiError if the next page cannot be read, or if the time is up. If the request was canceled in
 * the queue, the reason is `queueTimedOut`, and the request was not sent
 */
export async function* fetchPagesInTime(
	{ request, times, cache }: PollContext,
	target: Target,
	{ from, deadline = times.readDeadline }: { from?: PagePosition; deadline?: AbortSignal } = {},
): AsyncGenerator<TimedPage, void> {
	const pages = fetchPages(request, target, from && moveToList(from, target.url).url);
	let { pagesBefore, recordsBefore } = from ?? { pagesBefore: 0, recordsBefore: 0 };
	for (;;) {
		const nextPage = pages.next().catch((error: unknown) => {
			// a canceled request was still in the queue, because the signal in `request` ends only that wait
			if (!hasReason(error, 'canceled')) throw error;
			throw createRequestError(request, createFailure('queueTimedOut'));
		});
		const { value: page, done } = await waitUntilDeadline(request, nextPage, deadline);
		if (done) return;
		// `sentAtMs` leaves out the wait in the queue, which could hide a difference between the clocks
		const servedAtMs = cache.serviceClock.readDate(page.dateHeaderMs, page.sentAtMs, clock.now());
		const timed = { ...page, pagesBefore, recordsBefore, servedAtMs };
		pagesBefore += 1;
		recordsBefore += page.records.length;
		const next =
			page.nextUrl === undefined ? undefined : { url: page.nextUrl, pagesBefore, recordsBefore };
		yield { ...timed, next };
	}
}

/**
 * Returns a saved page position with the current URL of the list. The saved URL is out of date if the user
 * has changed the base URL from http to https. Keeps only the query of the saved URL.
 */
export function moveToList(position: PagePosition, listUrl: string): PagePosition {
	const url = new URL(listUrl);
	url.search = new URL(position.url).search;
	return { ...position, url: url.href };
}

/**
 * Fetches all records of a list, such as the fields of a form.
 *
 * @param noun the name of the records in error texts: "fields"
 * @throws NodeApiError if a page cannot be read, or if the time is up
 */
export async function fetchWholeList(
	context: PollContext,
	target: Target,
	noun: string,
): Promise<{ records: IDataObject[]; requests: number }> {
	const pages: TimedPage[] = [];
	for await (const page of fetchPagesInTime(context, target)) {
		pages.push(page);
		const isTimeUp = clock.now() >= context.times.readUntilMs;
		if (page.nextUrl !== undefined && isTimeUp) {
			throw createRequestError(
				context.request,
				createFailure('listTooLong', { detail: `not all ${noun} came before n8n's poll timeout` }),
			);
		}
	}
	return { records: pages.flatMap(({ records }) => records), requests: pages.length };
}

/**
 * Waits for a promise until the deadline. A later result is ignored.
 *
 * @throws NodeApiError if the time is up
 */
export async function waitUntilDeadline<T>(
	context: RequestContext,
	work: Promise<T>,
	deadline: AbortSignal | undefined,
): Promise<T> {
	const createError = () => createRequestError(context, createFailure('pollTimedOut'));
	return await waitUnlessAborted(work, deadline, createError);
}
