import type { IDataObject } from 'n8n-workflow';
import { createdAt } from '../api/answers/order';
import { clock, unlessAborted } from '../api/clock';
import type { Target } from '../api/endpoints';
import { NotSent } from '../api/errors';
import { readNumber } from '../api/readers';
import { identitiesOf } from '../api/records';
import type { ListPage, PagePosition } from '../api/replies/list';
import type { Version } from '../api/request/request';
import type { RequestContext } from '../api/requestContext';
import { pagesOf } from '../api/service';
import { tooSlow } from './errors';
import { failureOf } from './failures';
import { Fingerprints } from './fingerprint';
import type { KnownResponses } from './knownResponses';
import type { Order, TriggerMemory } from './memory';
import type { RequestAllowance } from './requestAllowance';

/** What a poll may send, and what it has sent. */
export type RequestScope = {
	context: RequestContext;
	allowance: RequestAllowance;
	memory: TriggerMemory;
	/** After this time, no further form, page or file is begun. Epoch milliseconds. */
	until: number;
	/** Aborts when the time of the poll is up: what has not been answered by then is abandoned. */
	timeUp: AbortSignal;
	/** Requests sent so far. */
	requests: number;
};

/** What was read of a listing. */
export type Reading = {
	records: IDataObject[];
	/** All pages were read. Otherwise the reading does not show that a response has left. */
	isWhole: boolean;
	/** No more than a part was wanted, and this is it. Otherwise time or requests ran out. */
	isShort: boolean;
	pages: number;
	/** How the next poll can read a part of it. */
	order?: Order;
	/** Of a listing of one page. */
	version?: Version;
	isUnchanged?: boolean;
};

/**
 * Reads a listing to its end, as far as the time and the daily allowance permit.
 *
 * @param known the version of a listing whose return would change nothing
 */
export async function readWhole(
	scope: RequestScope,
	target: Target,
	known?: Version,
): Promise<Reading> {
	const pages = pagesOf(scope.context, target, { versions: { known } });
	const records: IDataObject[] = [];
	for (let read = 1; ; read++) {
		const page = await nextPage(scope, pages);
		for (const record of page.records) records.push(record);
		const { isLast, version, isUnchanged } = page;
		if (!isLast && mayGoOn(scope)) continue;
		const order = isLast ? orderOf(records, page) : undefined;
		const isOnePage = isLast && read === 1;
		const ofOnePage = isOnePage && { version, isUnchanged };
		return { records, isWhole: isLast, isShort: false, pages: read, order, ...ofOnePage };
	}
}

/** Reads the part of a listing that has the new responses. What does not fit the order makes it doubtful. */
export async function readShort(
	scope: RequestScope,
	target: Target,
	order: Order,
	known: KnownResponses,
): Promise<Reading> {
	return order.newest === 'first' || order.lastPage === undefined
		? await readNewestFirst(scope, target, order, known)
		: await readFromLastPage(scope, target, { ...order, lastPage: order.lastPage }, known);
}

/** From the first page on, until a page ends with a known response. */
async function readNewestFirst(
	scope: RequestScope,
	target: Target,
	order: Order,
	known: KnownResponses,
): Promise<Reading> {
	const pages = pagesOf(scope.context, target);
	const records: IDataObject[] = [];
	for (let read = 1; ; read++) {
		const page = await nextPage(scope, pages);
		for (const record of page.records) records.push(record);
		if (page.isLast) {
			const next = orderOf(records, page);
			return { records, isWhole: true, isShort: false, pages: read, order: next };
		}
		const isEnough = isKnown(page.records.at(-1), known);
		if (!isEnough && mayGoOn(scope)) continue;
		const isDoubtful = order.isDoubtful || !isEnough || !fits(records, 'first');
		const next = { ...order, isDoubtful };
		return { records, isWhole: false, isShort: true, pages: read, order: next };
	}
}

/** From the last page that is known to the end, if that page still begins with a known response. */
async function readFromLastPage(
	scope: RequestScope,
	target: Target,
	order: Order & { lastPage: PagePosition },
	known: KnownResponses,
): Promise<Reading> {
	const pages = pagesOf(scope.context, target, { from: order.lastPage });
	const records: IDataObject[] = [];
	let { lastPage } = order;
	let isDoubtful = order.isDoubtful;
	for (let read = 1; ; read++) {
		const page = await nextPage(scope, pages).catch(withoutPage);
		if (read === 1) isDoubtful ||= !isKnown(page?.records.at(0), known);
		for (const record of page?.records ?? []) records.push(record);
		if (page !== undefined && page.records.length > 0) lastPage = positionOf(page);
		if (page !== undefined && !page.isLast && mayGoOn(scope)) continue;
		isDoubtful ||= page?.isLast !== true || !fits(records, 'last');
		const next = { ...order, lastPage, isDoubtful };
		return { records, isWhole: false, isShort: true, pages: read, order: next };
	}
}

/** A listing that has become shorter has no such page any more, and some services answer with an error. */
function withoutPage(error: unknown): undefined {
	if (failureOf(error)?.cause !== 'configuration-invalid') throw error;
}

/**
 * The next page, whose request is reserved before it is sent. The generator is abandoned when the time is
 * up: what it waits for then ends by itself.
 *
 * @throws NotSent if the request did not get its turn in the account's queue
 */
async function nextPage(
	scope: RequestScope,
	pages: AsyncGenerator<ListPage, void>,
): Promise<ListPage> {
	const { allowance, context, memory, timeUp } = scope;
	const sentAt = clock.now();
	const reservation = allowance.reserve(sentAt);
	const work = unlessAborted(pages.next(), timeUp, () => tooSlow(context.n8n.getNode()));
	const requests = await work.then(
		({ value }) => value?.requests ?? 0,
		(error: unknown) => (error instanceof NotSent ? 0 : 1),
	);
	allowance.settle(reservation, requests, clock.now());
	scope.requests += requests;
	const { value } = await work;
	const page = value ?? EMPTY_PAGE;
	if (page.date !== undefined) memory.clockOffset = offsetOf(page.date, sentAt, clock.now());
	return page;
}

/**
 * How far the service's clock is ahead, at most, from a reply that it dated between its request and now; 0
 * if both clocks may be right. The date is cut off to seconds.
 */
function offsetOf(date: number, sentAt: number, now: number): number {
	const isRight = date <= now && date + 1_000 >= sentAt;
	return isRight ? 0 : date + 1_000 - sentAt;
}

const EMPTY_PAGE: ListPage = {
	records: [],
	url: '',
	pagesBefore: 0,
	recordsBefore: 0,
	isNumbered: false,
	isLast: true,
	requests: 0,
};

function mayGoOn({ allowance, until }: RequestScope): boolean {
	const now = clock.now();
	return now < until && allowance.left(now) >= 1;
}

/** Listings of fewer pages are read whole about as soon. */
const FEWEST_PAGES = 3;

/**
 * How a listing of several pages is ordered; undefined if it has no order, or if its end cannot be read
 * by itself.
 */
function orderOf(records: readonly IDataObject[], lastPage: ListPage): Order | undefined {
	if (lastPage.pagesBefore + 1 < FEWEST_PAGES) return undefined;
	const newest = newestIn(records);
	if (newest === 'first') return { newest, isDoubtful: false };
	const canBeRead = lastPage.isNumbered && lastPage.records.length > 0;
	if (!canBeRead || newest !== 'last') return undefined;
	return { newest, lastPage: positionOf(lastPage), isDoubtful: false };
}

function positionOf({ url, pagesBefore, recordsBefore }: ListPage): PagePosition {
	return { url, pagesBefore, recordsBefore };
}

/** What tells the order, best first. */
const ORDER_KEYS = [createdAt, ({ number }: IDataObject) => readNumber(number)];

/** Where the newest records are: times, or else numbers, fall (first) or rise (last) along the records. */
function newestIn(records: readonly IDataObject[]): Order['newest'] | 'anywhere' | undefined {
	let isMixed = false;
	for (const key of ORDER_KEYS) {
		const values = records.map((record) => key(record) ?? NaN);
		if (values.some(Number.isNaN)) continue;
		const isAfter = (value: number, index: number) => index > 0 && value > values[index - 1];
		const isBefore = (value: number, index: number) => index > 0 && value < values[index - 1];
		const [rises, falls] = [values.some(isAfter), values.some(isBefore)];
		if (rises !== falls) return rises ? 'last' : 'first';
		isMixed ||= rises;
	}
	return isMixed ? 'anywhere' : undefined;
}

function fits(records: readonly IDataObject[], newest: Order['newest']): boolean {
	const found = newestIn(records);
	return found === undefined || found === newest;
}

function isKnown(record: IDataObject | undefined, known: KnownResponses): boolean {
	if (record === undefined) return false;
	const fingerprints = new Fingerprints(known.size);
	fingerprints.addAll(known.fingerprints);
	return identitiesOf(record).some((identity) => fingerprints.find(identity) !== undefined);
}
