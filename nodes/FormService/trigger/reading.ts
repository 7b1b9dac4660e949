import type { IDataObject, INode } from 'n8n-workflow';
import { clock, waitUnlessAborted } from '../api/clock';
import type { Target } from '../api/endpoints';
import { CHECK_REPLY, getCause, NotSent, ServiceError } from '../api/errors';
import { readNumber } from '../api/readers';
import { getIdentity } from '../api/records';
import { readPages } from '../api/replies/list';
import type { ListPage, PagePosition } from '../api/replies/list';
import type { RequestContext } from '../api/requestContext';
import { isKnown, readCreatedAtMs } from './knowledge';
import type { Known, NewestEnd, PageRead } from './knowledge';

/** How pages of a list are read in one poll, and what their records show about the order of the list. */

/** What a reading needs to know of its poll. */
export type ReadContext = Readonly<{
	request: RequestContext;
	/** After this time, no further page is requested. Epoch milliseconds. */
	readUntilMs: number;
	/** Aborts when the time to read is up: what has not been answered by then is abandoned. */
	timeUp: AbortSignal;
	/** How far the service's clock is ahead of this machine's, at most; undefined before the first reply. */
	clockOffsetMs?: number;
}>;

/** What one poll has read of a list. */
export type Part = {
	pages: Array<ListPage & PageRead>;
	/** The requests that were sent. */
	requests: number;
	/** Whether the last page of the list was read. */
	isEnd: boolean;
	/** Where a later poll reads on. */
	next?: PagePosition;
	/** Why the next page could not be read. */
	error?: unknown;
	clockOffsetMs?: number;
};

type PartOptions = {
	/** A page of an earlier reading; by default, the first page. */
	from?: PagePosition;
	maxRequests?: number;
	/** Whether a page ends the reading. */
	isEnough?: (page: ListPage) => boolean;
	/** Whether each record must have an identity, as a response that is compared. */
	needsIdentity?: boolean;
};

/** Reads a list from a page on, as far as the time and the requests suffice. A failure is part of the result. */
export async function readPart(
	context: ReadContext,
	target: Target,
	{ from, maxRequests = Infinity, isEnough, needsIdentity }: PartOptions = {},
): Promise<Part> {
	const { request, readUntilMs, timeUp } = context;
	const iterator = readPages(request, target, from);
	const part: Part = { pages: [], requests: 0, isEnd: false, next: from };
	for (;;) {
		const sentAtMs = clock.now();
		let page: ListPage;
		try {
			// a list has a last page, after which nobody asks for more
			const next = iterator.next() as Promise<IteratorYieldResult<ListPage>>;
			page = (await awaitInTime(request, next, timeUp)).value;
		} catch (error) {
			const requests = part.requests + (error instanceof NotSent ? 0 : 1);
			return { ...part, requests, error };
		}
		part.requests += page.requests;
		const offsetMs = part.clockOffsetMs ?? context.clockOffsetMs ?? 0;
		const readAtMs = page.date ?? sentAtMs + offsetMs;
		if (page.date !== undefined) {
			part.clockOffsetMs = computeOffsetMs(page.date, sentAtMs, clock.now());
		}
		const nameless = needsIdentity && page.records.find((one) => getIdentity(one) === undefined);
		if (nameless) return { ...part, error: createIdentityError(request.n8n.getNode(), nameless) };
		part.pages.push({ ...page, readAtMs });
		// the last page is read again: a record of the next page moves to it if another one is deleted
		part.next = part.pages.length > 1 ? toPosition(page) : page.next && toPosition(page.next);
		if (page.isLast) return { ...part, isEnd: true, next: undefined };
		// without a next position, asking for one more page says why
		if (page.next === undefined) continue;
		const mayContinue = part.requests < maxRequests && clock.now() < readUntilMs;
		if (!mayContinue || isEnough?.(page)) return part;
	}
}

/**
 * How far the service's clock is ahead, at most, from a reply that it dated between its request and now; 0
 * if both clocks may be right. The date is cut off to seconds.
 */
function computeOffsetMs(dateMs: number, sentAtMs: number, nowMs: number): number {
	const latestMs = dateMs + 1_000;
	return dateMs <= nowMs && latestMs >= sentAtMs ? 0 : latestMs - sentAtMs;
}

/**
 * The outcome of the work, unless the time is up first: what it waits for then ends by itself.
 *
 * @throws NodeApiError if the time is up
 */
export async function awaitInTime<T>(
	{ n8n }: RequestContext,
	work: Promise<T>,
	timeUp: AbortSignal | undefined,
): Promise<T> {
	const createError = () =>
		new ServiceError(n8n.getNode(), {
			message: "Form Service didn't answer before n8n's poll timeout",
			description: 'The next poll tries again.',
			failure: { cause: 'temporarily-unavailable' },
		});
	return await waitUnlessAborted(work, timeUp, createError);
}

function toPosition({ url, pagesBefore, recordsBefore }: PagePosition): PagePosition {
	return { url, pagesBefore, recordsBefore };
}

/** The most names of attributes that an error lists. */
const MAX_NAMES = 30;

/** A response that could not be told from the next. */
function createIdentityError(node: INode, record: IDataObject) {
	const names = Object.keys(record).slice(0, MAX_NAMES).join(', ') || 'none';
	return new ServiceError(node, {
		message: 'Form Service sent a response without a UUID',
		description: `The response has no valid "uuid" or "id". Its attributes: ${names}. ${CHECK_REPLY}`,
		failure: { cause: 'configuration-invalid' },
	});
}

/** How one value changes along the records of a list. */
type Trend = { last?: number; rises?: boolean; falls?: boolean; isIncomplete?: boolean };

/** The trends of what shows the order, the best first. */
export type Trends = readonly Trend[];

const ORDER_KEYS = [readCreatedAtMs, ({ number }: IDataObject) => readNumber(number)];

/** The trends with further records, each given once. */
export function followTrends(trends: Trends | undefined, records: Iterable<IDataObject>): Trends {
	const followed = ORDER_KEYS.map((_key, index): Trend => ({ ...trends?.[index] }));
	for (const record of records) {
		for (const [index, trend] of followed.entries()) {
			const value = ORDER_KEYS[index](record);
			if (value === undefined) trend.isIncomplete = true;
			else if (trend.last !== undefined) {
				trend.rises ||= value > trend.last;
				trend.falls ||= value < trend.last;
			}
			trend.last = value;
		}
	}
	return followed;
}

/** Where the newest records are: times, or else numbers, fall (first) or rise (last) along the records. */
export function findNewest(
	trends: Trends | undefined = [],
): 'first' | 'last' | 'anywhere' | undefined {
	const whole = trends.filter(({ isIncomplete }) => !isIncomplete);
	const ordered = whole.find(({ rises = false, falls = false }) => rises !== falls);
	if (ordered !== undefined) return ordered.rises ? 'last' : 'first';
	return whole.some(({ rises }) => rises) ? 'anywhere' : undefined;
}

/** Lists of fewer pages are read whole about as soon. */
export const MIN_PAGES = 3;

/** Where a whole list has its newest responses; undefined if that end cannot be read by itself. */
export function findNewestEnd(trends: Trends | undefined, last: ListPage): NewestEnd | undefined {
	if (last.pagesBefore + 1 < MIN_PAGES) return undefined;
	const newest = findNewest(trends);
	if (newest === 'first') return { newest };
	if (newest !== 'last' || !last.isNumbered || last.records.length === 0) return undefined;
	return { newest, start: toPosition(last) };
}

/**
 * Where the newest responses are after they were read; undefined if something did not fit the order.
 *
 * @param known what was known before
 */
export function moveNewestEnd(
	{ newest, start }: NewestEnd,
	{ pages, isEnd, error }: Part,
	records: Iterable<IDataObject>,
	known: Known,
): NewestEnd | undefined {
	const found = findNewest(followTrends(undefined, records));
	const fits = found === undefined || found === newest;
	if (newest === 'last') {
		// a list that has become shorter has no such page any more, and some services answer with an error
		const isGone = error !== undefined && getCause(error) === 'configuration-invalid';
		const starts = pages.filter((page) => isKnown(page.records[0], known));
		if (!fits || (pages.length === 0 ? isGone : !starts.includes(pages[0]))) return undefined;
		const last = starts.at(-1);
		return last === undefined ? { newest, start } : { newest, start: toPosition(last) };
	}
	if (!fits) return undefined;
	// a page in the middle that cannot be read must not hold back the first ones
	if (error !== undefined) return { newest };
	const last = pages.at(-1);
	const isEnough = isEnd || isKnown(last?.records.at(-1), known);
	return { newest, start: isEnough ? undefined : last?.next && toPosition(last.next) };
}
