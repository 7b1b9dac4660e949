import type { IDataObject } from 'n8n-workflow';
import { getCause, NotSent } from '../api/errors';
import { readNumber } from '../api/readers';
import type { ListPage, PagePosition } from '../api/replies/list';
import { isKnown, readCreatedAtMs } from './knowledge';
import type { Known, NewestEnd, SavedPosition } from './knowledge';
import { toPosition } from './reading';
import type { Part } from './reading';

/** Where the reading of a list stands, and where it goes on after a part was read: by pages, and by the order of the list. */

/** What a reading is of: all pages, or those with the newest responses. */
export type Scope = 'whole' | 'newest';

/** Where the reading of a list stands; it changes with each reading. */
export type Position = {
	/** Undefined if the list has no order, or if the trigger reads all of the list next. */
	readonly newestEnd?: NewestEnd;
	/** The reading of all pages that is under way. */
	readonly whole?: WholeReading;
	/** How many pages had been read before the page that failed last. */
	readonly failedAfter?: number;
};

type WholeReading = {
	next?: PagePosition;
	/** Whether the page there could not be read once; the second time, the reading begins again. */
	hasFailed: boolean;
	/** The process before began the reading: it does not show what is missing. */
	isResumed?: boolean;
	/** The fingerprints of all responses that were read since the reading began. */
	listed: Set<string>;
	trends?: Trends;
	hasFoundExisting: boolean;
};

/** What a reading has come to, once its pages are compared. */
export type Outcome =
	| {
			/** The last page of the list was read. */
			kind: 'whole';
			/** The fingerprints of all responses that were read since the reading began. */
			listed: ReadonlySet<string>;
			isOnePage: boolean;
			hasFoundExisting: boolean;
	  }
	/**
	 * `resumed`: a reading has ended that the process before began; `recovered`: a page has come that could
	 * not be read before; `forgiven`: the failure is none, since a list that became shorter has no such page.
	 */
	| { kind: 'partial' | 'resumed' | 'recovered' | 'forgiven' };

type Moved = { position: Position; outcome: Outcome };

/** What the pages of a part have: see `Comparison`. */
type Compared = { listed: ReadonlyMap<string, IDataObject>; hasFoundExisting: boolean };

/** @param saved where the reading stood when the process before ended */
export function createPosition({ newestEnd, next }: SavedPosition): Position {
	const begun = { hasFailed: false, listed: new Set<string>(), hasFoundExisting: true };
	return { newestEnd, whole: next && { ...begun, next, isResumed: true } };
}

/** What the next process is to know of it; undefined if that is nothing. */
export function toSavedPosition({ newestEnd, whole }: Position): SavedPosition | undefined {
	return newestEnd || whole?.next ? { newestEnd, next: whole?.next } : undefined;
}

/** Where the reading stands after a part of the list was read. */
export function movePosition(
	position: Position,
	scope: Scope,
	part: Part,
	compared: Compared,
	known: Known,
): Moved {
	if (scope === 'whole') return moveWhole(position, part, compared);
	const { listed } = compared;
	for (const fingerprint of listed.keys()) position.whole?.listed.add(fingerprint);
	const newestEnd = position.newestEnd!;
	const isWholeList = newestEnd.newest === 'first' && newestEnd.start === undefined && part.isEnd;
	if (isWholeList) return moveWhole({ newestEnd }, part, compared);
	const moved = moveNewestEnd(newestEnd, part, listed.values(), known);
	if (moved !== undefined) {
		return { position: { ...position, newestEnd: moved }, outcome: { kind: 'partial' } };
	}
	// what does not fit the order can be anywhere
	return { position: {}, outcome: { kind: part.pages.length === 0 ? 'forgiven' : 'partial' } };
}

function moveWhole(position: Position, part: Part, compared: Compared): Moved {
	const { pages, isEnd, next, error } = part;
	const { whole: before, newestEnd } = position;
	const last = pages.at(-1);
	// the order of a short list is of no use, and finding it takes as long as a comparison
	const needsOrder = !isEnd || (last?.pagesBefore ?? 0) + 1 >= MIN_PAGES;
	const whole = addPart(before, compared, needsOrder);
	if (isEnd && whole.isResumed) {
		return { position: { ...position, whole: undefined }, outcome: { kind: 'resumed' } };
	}
	if (isEnd) {
		const { listed, hasFoundExisting } = whole;
		return {
			position: {
				...position,
				whole: undefined,
				newestEnd: last && findNewestEnd(whole.trends, last),
			},
			outcome: { kind: 'whole', listed, isOnePage: last?.pagesBefore === 0, hasFoundExisting },
		};
	}
	// where a page holds up the whole reading, the newest responses are read by themselves
	const isHeldUp = error !== undefined && findNewest(whole.trends) === 'first';
	const pagesBefore = before?.next?.pagesBefore ?? -1;
	const hasAdvanced = last !== undefined && last.pagesBefore > pagesBefore;
	const isPageError = error !== undefined && !(error instanceof NotSent);
	// the page where a reading goes on was read before, or is the one that cannot be read
	const readPages = (last?.pagesBefore ?? pagesBefore) + 1;
	const { failedAfter = Infinity } = position;
	const hasRecovered = last !== undefined && readPages > failedAfter;
	const hasFailed = whole.hasFailed && !hasAdvanced;
	const isGivenUp = isPageError && hasFailed;
	return {
		position: {
			newestEnd: newestEnd ?? (isHeldUp ? { newest: 'first' } : undefined),
			whole:
				next === undefined || isGivenUp
					? undefined
					: { ...whole, next, hasFailed: isPageError || hasFailed },
			failedAfter: isPageError ? readPages : hasRecovered ? undefined : position.failedAfter,
		},
		outcome: { kind: hasRecovered ? 'recovered' : 'partial' },
	};
}

/** A reading of the whole list with the responses of another part. */
function addPart(
	whole: WholeReading | undefined,
	{ listed, hasFoundExisting }: Compared,
	needsOrder: boolean,
): WholeReading {
	const before = whole ?? { hasFailed: false, listed: new Set<string>(), hasFoundExisting: false };
	const unseen = [...listed].filter(([fingerprint]) => !before.listed.has(fingerprint));
	const records = unseen.map(([, record]) => record);
	const trends = needsOrder ? followTrends(before.trends, records) : before.trends;
	for (const [fingerprint] of unseen) before.listed.add(fingerprint);
	const hasFound = before.hasFoundExisting || hasFoundExisting;
	return { ...before, trends, hasFoundExisting: hasFound };
}

/** How one value changes along the records of a list. */
type Trend = { last?: number; rises?: boolean; falls?: boolean; isIncomplete?: boolean };

/** The trends of what shows the order, the best first. */
type Trends = readonly Trend[];

const ORDER_KEYS = [readCreatedAtMs, ({ number }: IDataObject) => readNumber(number)];

/** The trends with further records, each given once. */
function followTrends(trends: Trends | undefined, records: Iterable<IDataObject>): Trends {
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
function findNewest(trends: Trends | undefined = []): 'first' | 'last' | 'anywhere' | undefined {
	const whole = trends.filter(({ isIncomplete }) => !isIncomplete);
	const ordered = whole.find(({ rises = false, falls = false }) => rises !== falls);
	if (ordered !== undefined) return ordered.rises ? 'last' : 'first';
	return whole.some(({ rises }) => rises) ? 'anywhere' : undefined;
}

/** Lists of fewer pages are read whole about as soon. */
const MIN_PAGES = 3;

/** Where a whole list has its newest responses; undefined if that end cannot be read by itself. */
function findNewestEnd(trends: Trends | undefined, last: ListPage): NewestEnd | undefined {
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
function moveNewestEnd(
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
