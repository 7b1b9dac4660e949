import { uniqBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { getCreationTime } from '../api/answers/order';
import { clock } from '../api/clock';
import type { Target } from '../api/endpoints';
import { NotSent } from '../api/errors';
import { readNumber } from '../api/readers';
import { getIdentities, getIdentity } from '../api/records';
import { readPages } from '../api/replies/list';
import type { ListPage, PagePosition } from '../api/replies/list';
import { awaitInTime, readCause, readSpacingMs } from './input';
import type { PollInput } from './input';
import type { FormMemory, Order, Unfinished } from './memory';
import { addReading, computeMaxRequests } from './schedule';
import { computeFingerprint } from './state';
import type { Known } from './state';

/** What a poll has read of a list: all of it, with what earlier polls have read, or a part. */
export type Reading = {
	kind: 'whole' | 'part';
	records: readonly IDataObject[];
	/** Undefined if the list has none, or if something did not fit the order that it had. */
	order?: Order;
	/** What is left of a whole reading: time or requests are used up, or a page could not be read. */
	unfinished?: Unfinished;
	/** Why the next page could not be read. */
	error?: unknown;
};

/** Requests that whole readings leave to the short ones that come before the next. */
const RESERVED = { whole: 2, short: 0 };

/**
 * Reads a form's responses, and takes note of the requests: they are waited for, whether the reading is
 * good or not.
 *
 * @throws why nothing could be read
 */
export async function readResponses(
	input: PollInput,
	target: Target,
	form: FormMemory,
	known: Known | undefined,
	kind: 'whole' | 'short',
): Promise<Reading> {
	const spacingMs = readSpacingMs(input, form);
	const startedAtMs = clock.now();
	const { order, cost, unfinished } = form;
	// if a whole reading cannot go on where it ended, it starts again
	if (kind === 'whole') form.unfinished = undefined;
	const isFirst = known === undefined || !form.isRead;
	const maxRequests = computeMaxRequests(cost, spacingMs, startedAtMs, RESERVED[kind]);
	const from = kind === 'whole' ? unfinished?.next : order?.start;
	const limit = isFirst ? undefined : maxRequests;
	const pages = new PageReader(input, target, { from, maxRequests: limit });
	try {
		if (kind === 'whole') return await readWhole(pages, { order, unfinished });
		const read = order?.newest === 'last' ? readNewestLast : readNewestFirst;
		const short = await read(pages, known ?? new Map(), from);
		// what does not fit the order can be anywhere, so the next whole reading starts again
		return short.kind === 'part' && short.order ? { ...short, unfinished } : short;
	} finally {
		// a first reading comes on top of the requests of a day
		const requests = isFirst ? Math.min(pages.requests, maxRequests) : pages.requests;
		const own = { startedAtMs, requests };
		form.cost = addReading(cost, own, spacingMs);
		if (kind === 'short') form.shortCost = own;
		// a whole reading from the first page on has the new responses as well
		else if (from === undefined) form.shortCost = { startedAtMs, requests: 1 };
	}
}

/** Reads a list page by page, and counts the requests. */
export class PageReader {
	requests = 0;

	private readonly pages: AsyncGenerator<ListPage, void>;

	/** By default, from the first page to the end, as far as the time of the poll suffices. */
	constructor(
		private readonly input: PollInput,
		target: Target,
		private readonly options: {
			from?: PagePosition;
			maxRequests?: number;
			timeUp?: AbortSignal;
		} = {},
	) {
		this.pages = readPages(input.context, target, options.from);
	}

	/** Whether there is time for another page, and a request. */
	canContinue(): boolean {
		const { maxRequests = Infinity } = this.options;
		return clock.now() < this.input.readUntilMs && this.requests < maxRequests;
	}

	/**
	 * The next page.
	 *
	 * @throws NotSent if the request did not get its turn in the account's queue
	 */
	async readPage(): Promise<ListPage> {
		const { context, memory } = this.input;
		const sentAtMs = clock.now();
		// a listing has a last page, after which nobody asks for more
		const next = this.pages.next() as Promise<IteratorYieldResult<ListPage>>;
		const work = awaitInTime(context, next, this.options.timeUp ?? this.input.timeUp);
		this.requests += await work.then(
			({ value }) => value.requests,
			(error: unknown) => (error instanceof NotSent ? 0 : 1),
		);
		const { value: page } = await work;
		if (page.date !== undefined) {
			memory.clockOffsetMs = computeOffsetMs(page.date, sentAtMs, clock.now());
		}
		return page;
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
 * Reads a list to its end, or as far as the time and the requests suffice.
 *
 * @param unfinished what earlier polls have read; the reader then starts where these have ended
 * @throws why nothing could be read
 */
export async function readWhole(
	pages: PageReader,
	{ order, unfinished: begun }: Pick<Reading, 'order' | 'unfinished'> = {},
): Promise<Reading> {
	const records: IDataObject[] = [];
	const all = () => [...(begun?.records ?? []), ...records];
	const cut = (next: PagePosition, error?: unknown): Reading => {
		const unfinished = { records: all(), next: toPosition(next) };
		return { kind: 'part', records, order, unfinished, error };
	};
	let position = begun?.next;
	let resume = position;
	for (;;) {
		const page = await pages.readPage().catch((error: unknown) => {
			if (resume === undefined || !isPassing(error)) throw error;
			return cut(resume, error);
		});
		if ('kind' in page) return page;
		for (const record of page.records) records.push(record);
		if (page.isLast) return { kind: 'whole', records: all(), order: findOrder(all(), page) };
		// the last page is read again: a record of the next page moves to it if another one is deleted
		resume = pages.requests > 1 ? position : page.next;
		position = page.next;
		// without a next position, asking for one more page says why
		if (position !== undefined && resume !== undefined && !pages.canContinue()) return cut(resume);
	}
}

/** Whether the page may be read later; otherwise the reading has to start again. */
function isPassing(error: unknown): boolean {
	return error instanceof NotSent || !['', 'configuration-invalid'].includes(readCause(error));
}

/*
 * Short readings of a list of several pages, whose order shows where the new responses are. What does not
 * fit the order makes the next reading a whole one.
 */

/** Lists of fewer pages are read whole about as soon. */
const MIN_PAGES = 3;

/** What a short reading has read: the whole list, if it is so short now. */
type ShortReading = Pick<Reading, 'kind' | 'records' | 'order'>;

/**
 * From the first page on, until a page ends with a known response. If the requests do not suffice, the next
 * short reading goes on.
 */
async function readNewestFirst(
	pages: PageReader,
	known: Known,
	from: PagePosition | undefined,
): Promise<ShortReading> {
	const records: IDataObject[] = [];
	for (;;) {
		const page = await pages.readPage();
		for (const record of page.records) records.push(record);
		if (page.isLast && !from) return { kind: 'whole', records, order: findOrder(records, page) };
		const isEnough = page.isLast || isKnown(page.records.at(-1), known);
		if (!isEnough && pages.canContinue()) continue;
		if (!fitsOrder(records, 'first')) return { kind: 'part', records };
		const start = isEnough ? undefined : page.next && toPosition(page.next);
		return { kind: 'part', records, order: { newest: 'first', start } };
	}
}

/** From the last known page to the end, if that page still begins with a known response. */
async function readNewestLast(
	pages: PageReader,
	known: Known,
	from: PagePosition | undefined,
): Promise<ShortReading> {
	const records: IDataObject[] = [];
	let start = from;
	for (;;) {
		const page = await pages.readPage().catch(ignoreMissingPage);
		for (const record of page?.records ?? []) records.push(record);
		if (page !== undefined && isKnown(page.records[0], known)) start = toPosition(page);
		// without the page after the last known one, the next reading would start at the same page
		const mayContinue = pages.requests < 2 || pages.canContinue();
		if (page !== undefined && !page.isLast && mayContinue) continue;
		if (!isKnown(records[0], known) || !fitsOrder(records, 'last'))
			return { kind: 'part', records };
		return { kind: 'part', records, order: { newest: 'last', start } };
	}
}

/** A listing that has become shorter has no such page any more, and some services answer with an error. */
function ignoreMissingPage(error: unknown): undefined {
	if (readCause(error) !== 'configuration-invalid') throw error;
}

/**
 * How a listing of several pages is ordered; undefined if it has no order, or if its end cannot be read
 * by itself.
 */
function findOrder(records: readonly IDataObject[], lastPage: ListPage): Order | undefined {
	if (lastPage.pagesBefore + 1 < MIN_PAGES) return undefined;
	// responses that came while the pages were read have moved others to a later page
	const newest = findNewest(uniqBy(records, getIdentity));
	if (newest === 'first') return { newest };
	if (newest !== 'last' || !lastPage.isNumbered || lastPage.records.length === 0) return undefined;
	return { newest, start: toPosition(lastPage) };
}

function toPosition({ url, pagesBefore, recordsBefore }: PagePosition): PagePosition {
	return { url, pagesBefore, recordsBefore };
}

/** What tells the order, best first. */
const ORDER_KEYS = [getCreationTime, ({ number }: IDataObject) => readNumber(number)];

/** Where the newest records are: times, or else numbers, fall (first) or rise (last) along the records. */
function findNewest(records: readonly IDataObject[]): Order['newest'] | 'anywhere' | undefined {
	let found: 'anywhere' | undefined;
	for (const key of ORDER_KEYS) {
		const values = records.map((record) => key(record) ?? NaN);
		if (values.some(Number.isNaN)) continue;
		const steps = values.slice(1).map((value, index) => Math.sign(value - values[index]));
		const [rises, falls] = [steps.includes(1), steps.includes(-1)];
		if (rises !== falls) return rises ? 'last' : 'first';
		if (rises) found = 'anywhere';
	}
	return found;
}

function fitsOrder(records: readonly IDataObject[], newest: Order['newest']): boolean {
	const found = findNewest(records);
	return found === undefined || found === newest;
}

function isKnown(record: IDataObject | undefined, known: Known): boolean {
	return (
		record !== undefined &&
		getIdentities(record)
			.map(computeFingerprint)
			.some((one) => known.has(one))
	);
}
