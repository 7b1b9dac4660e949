import type { IDataObject, INode } from 'n8n-workflow';
import { clock, waitUnlessAborted } from '../api/clock';
import type { Target } from '../api/endpoints';
import { CHECK_REPLY, NotSent, ServiceError } from '../api/errors';
import { getIdentity } from '../api/records';
import { readPages } from '../api/replies/list';
import type { ListPage, PagePosition } from '../api/replies/list';
import type { RequestContext } from '../api/requestContext';

/** How pages of a list are read in one poll. */

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

/** A page that was read. */
export type PageRead = {
	records: readonly IDataObject[];
	/** When the service sent the page, in epoch milliseconds of the service. */
	readAtMs: number;
};

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

/** Where a page stands in its list. */
export function toPosition({ url, pagesBefore, recordsBefore }: PagePosition): PagePosition {
	return { url, pagesBefore, recordsBefore };
}

/** The most names of attributes that an error lists. */
const MAX_NAMES = 30;

/** The error for a response that has no identity. */
function createIdentityError(node: INode, record: IDataObject) {
	const names = Object.keys(record).slice(0, MAX_NAMES).join(', ') || 'none';
	return new ServiceError(node, {
		message: 'Form Service sent a response without a UUID',
		description: `The response has no valid "uuid" or "id". Its attributes: ${names}. ${CHECK_REPLY}`,
		failure: { cause: 'configuration-invalid' },
	});
}
