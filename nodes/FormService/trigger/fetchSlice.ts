import { clock, waitUnlessAborted } from '../api/clock';
import type { Target } from '../api/endpoints';
import { isCanceled } from '../api/errors';
import { getId } from '../api/records';
import { fetchPages, type ListPage, type PagePosition } from '../api/replies/fetchPages';
import { createRequestError, type RequestContext } from '../api/requestContext';
import { createFailure } from '../api/requestFailure';
import type { Poll } from './pollContext';

/** How a poll reads pages of a list. Without retries, each page is one request. */

/** One page that a poll has read. */
export type FetchedPage = ListPage & {
	/** When the service sent the page, in epoch milliseconds of the service. */
	readAtMs: number;
};

/** What one poll has read of a list. */
export type ListSlice = {
	pages: FetchedPage[];
	/** The requests that were sent. */
	requests: number;
	/** Whether the last page of the list was read. */
	isEnd: boolean;
	/** Whether a page ended the reading, see `PartOptions`. */
	isEnough: boolean;
	/** Why the next page could not be read. */
	error?: unknown;
};

type PartOptions = {
	/** A page of an earlier reading; by default, the first page. */
	from?: PagePosition;
	maxRequests?: number;
	/** What has not been answered when it aborts is abandoned; by default, the end of the time to read. */
	timeUp?: AbortSignal;
	/** Called with each page: whether the page ends the reading. */
	isEnough?: (page: FetchedPage) => Promise<boolean>;
	/** Whether each record must have an identity, as a response that is compared. */
	needsIdentity?: boolean;
};

/** Reads a list from a page on, as far as time and requests suffice. A failure is part of the result. */
export async function fetchSlice(
	{ request, times, memory }: Poll,
	target: Target,
	{ from, maxRequests = Infinity, timeUp = times.readingEnds, ...options }: PartOptions = {},
): Promise<ListSlice> {
	const { isEnough, needsIdentity } = options;
	const iterator = fetchPages(request, target, from);
	const part: ListSlice = { pages: [], requests: 0, isEnd: false, isEnough: false };
	for (;;) {
		const sentAtMs = clock.now();
		let page: ListPage;
		try {
			// a list has a last page, after which nobody asks for more
			const next = iterator.next() as Promise<IteratorYieldResult<ListPage>>;
			page = (await waitUntilDeadline(request, next, timeUp)).value;
		} catch (error) {
			return { ...part, requests: part.requests + (isCanceled(error) ? 0 : 1), error };
		}
		part.requests++;
		const isNameless = needsIdentity && page.records.some((one) => getId(one) === undefined);
		if (isNameless) return { ...part, error: createRequestError(request, RESPONSE_ID_MISSING) };
		const before = memory.offsetMs ?? 0;
		const offsetMs = computeOffsetMs(page.date, sentAtMs, clock.now()) ?? before;
		memory.offsetMs = offsetMs;
		const pageRead = { ...page, readAtMs: page.date ?? sentAtMs + offsetMs };
		part.pages.push(pageRead);
		part.isEnough = (await isEnough?.(pageRead)) ?? false;
		if (page.isLast) return { ...part, isEnd: true };
		// without a next position, asking for one more page says why
		if (page.next === undefined) continue;
		const mayContinue = part.requests < maxRequests && clock.now() < times.readUntilMs;
		if (!mayContinue || part.isEnough) return part;
	}
}

/**
 * Reads a list that is of no use in parts.
 *
 * @param what the records, for the error
 * @throws why a page could not be read, or that the time was up
 */
export async function fetchWholeList(poll: Poll, target: Target, what: string) {
	const part = await fetchSlice(poll, target);
	if (part.error !== undefined) throw part.error;
	if (!part.isEnd) {
		throw createRequestError(poll.request, createFailure('listTooLong', { expected: what }));
	}
	return { ...part, records: part.pages.flatMap(({ records }) => records) };
}

/**
 * How far the service's clock is ahead, at most, from a reply that was dated between its request and now; 0
 * if both clocks may be right. A date is cut off to seconds.
 */
function computeOffsetMs(dateMs: number | undefined, sentAtMs: number, nowMs: number) {
	if (dateMs === undefined) return undefined;
	const latestMs = dateMs + 1_000;
	return dateMs <= nowMs && latestMs >= sentAtMs ? 0 : latestMs - sentAtMs;
}

/**
 * The outcome of the work, unless the time is up first: the work then ends by itself.
 *
 * @throws NodeApiError if the time is up
 */
export async function waitUntilDeadline<T>(
	context: RequestContext,
	work: Promise<T>,
	timeUp: AbortSignal | undefined,
): Promise<T> {
	const createError = () => createRequestError(context, createFailure('pollTimedOut'));
	return await waitUnlessAborted(work, timeUp, createError);
}

const RESPONSE_ID_MISSING = createFailure('responseIdMissing');
