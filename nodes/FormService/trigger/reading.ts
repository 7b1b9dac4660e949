import type { IDataObject } from 'n8n-workflow';
import { createdAt } from '../api/answers/order';
import { clock, unlessAborted } from '../api/clock';
import type { Target } from '../api/endpoints';
import { NotSent } from '../api/errors';
import { readNumber } from '../api/readers';
import { identitiesOf } from '../api/records';
import { pagesOf } from '../api/replies/list';
import type { ListPage, PagePosition } from '../api/replies/list';
import type { Version } from '../api/request/request';
import { tooSlow } from './errors';
import { failureOf } from './failures';
import { Fingerprints } from './knownResponses';
import type { KnownResponses } from './knownResponses';
import type { Order } from './memory';
import type { PollRun } from './pollRun';

/** What was read of a listing. */
export type Reading = {
	records: IDataObject[];
	/** All pages were read. Otherwise the reading does not show that a response has left. */
	isWhole: boolean;
	/** No more than a part was wanted, and this is it. Otherwise time or requests ran out. */
	isShort: boolean;
	/** How the next poll can read a part of it. */
	order?: Order;
	/** Of a listing of one page. */
	version?: Version;
	isUnchanged?: boolean;
};

/** What is known of a listing of which a part is enough. */
export type Part = { order: Order; known: KnownResponses };

/**
 * Reads a listing to its end, as far as the time and the daily allowance permit.
 *
 * @param known the version of a listing whose return would change nothing
 */
export async function readWhole(run: PollRun, target: Target, known?: Version): Promise<Reading> {
	const pages = pagesOf(run.context, target, { versions: { known } });
	const records: IDataObject[] = [];
	for (;;) {
		const page = await nextPage(run, pages);
		for (const record of page.records) records.push(record);
		const { isLast, version, isUnchanged } = page;
		if (!isLast && mayGoOn(run)) continue;
		if (!isLast) return { records, isWhole: false, isShort: false };
		const ofOnePage = page.pagesBefore === 0 && { version, isUnchanged };
		return { records, isWhole: true, isShort: false, order: orderOf(records, page), ...ofOnePage };
	}
}

/** Reads the part of a listing that has the new responses. What does not fit the order makes it doubtful. */
export async function readShort(run: PollRun, target: Target, part: Part): Promise<Reading> {
	const { lastPage, newest } = part.order;
	return newest === 'first' || lastPage === undefined
		? await readNewestFirst(run, target, part)
		: await readFromPage(run, target, part, lastPage);
}

/** From the first page on, until a page ends with a known response. */
async function readNewestFirst(
	run: PollRun,
	target: Target,
	{ order, known }: Part,
): Promise<Reading> {
	const pages = pagesOf(run.context, target);
	const records: IDataObject[] = [];
	for (;;) {
		const page = await nextPage(run, pages);
		for (const record of page.records) records.push(record);
		if (page.isLast) {
			return { records, isWhole: true, isShort: false, order: orderOf(records, page) };
		}
		const isEnough = isKnown(page.records.at(-1), known);
		if (!isEnough && mayGoOn(run)) continue;
		const isDoubtful = order.isDoubtful || !isEnough || !fits(records, 'first');
		return { records, isWhole: false, isShort: true, order: { ...order, isDoubtful } };
	}
}

/** From the last page that is known to the end, if that page still begins with a known response. */
async function readFromPage(
	run: PollRun,
	target: Target,
	{ order, known }: Part,
	from: PagePosition,
): Promise<Reading> {
	const pages = pagesOf(run.context, target, { from });
	const records: IDataObject[] = [];
	let lastPage = from;
	for (;;) {
		const page = await nextPage(run, pages).catch(withoutPage);
		for (const record of page?.records ?? []) records.push(record);
		if (page !== undefined && page.records.length > 0) lastPage = positionOf(page);
		if (page !== undefined && !page.isLast && mayGoOn(run)) continue;
		const isAsBefore = page?.isLast === true && isKnown(records[0], known);
		const isDoubtful = order.isDoubtful || !isAsBefore || !fits(records, 'last');
		return { records, isWhole: false, isShort: true, order: { ...order, lastPage, isDoubtful } };
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
async function nextPage(run: PollRun, pages: AsyncGenerator<ListPage, void>): Promise<ListPage> {
	const { allowance, context, memory, timeUp } = run;
	const sentAt = clock.now();
	const reservation = allowance.reserve(sentAt);
	// a listing has a last page, after which nobody asks for more
	const next = pages.next() as Promise<IteratorYieldResult<ListPage>>;
	const work = unlessAborted(next, timeUp, () => tooSlow(context.n8n.getNode()));
	const requests = await work.then(
		({ value }) => value.requests,
		(error: unknown) => (error instanceof NotSent ? 0 : 1),
	);
	allowance.settle(reservation, requests, clock.now());
	run.requests += requests;
	const { value: page } = await work;
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

function mayGoOn({ allowance, until }: PollRun): boolean {
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
