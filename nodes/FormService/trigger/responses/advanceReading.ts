import type { IDataObject } from 'n8n-workflow';
import { hasReason } from '../../api/errors';
import { parseNumber } from '../../api/parseValues';
import { getCreationTimeMs } from '../../api/recordTimes';
import { getNextPosition, type PagePosition } from '../../api/replies/fetchPages';
import type { FetchedPage } from '../fetchList';
import type { FormState } from '../triggerState';
import type { Reading } from './planReading';
import type { ReadingResult } from './readFormPages';

/** Where the next reading of a form starts, and at which end of the list new responses appear. */

/** The pages that were read, at least one, and why the reading stopped. */
type ReadPages = Pick<ReadingResult, 'pages' | 'stop'>;

/**
 * Whether a full pass has reached its end, and all events are delivered.
 *
 * @param undelivered the first page with an undelivered event
 */
export function endsFullPass(
	{ kind }: Reading,
	{ stop }: ReadPages,
	undelivered: FetchedPage | undefined,
): boolean {
	return kind === 'fullPass' && stop === 'endOfList' && undelivered === undefined;
}

/**
 * Finds the page where a later poll continues the reading; undefined if the reading starts over.
 *
 * @param undelivered the first page with an undelivered event
 */
export function findResumePosition(
	{ kind, from }: Reading,
	{ pages, stop }: ReadPages,
	undelivered: FetchedPage | undefined,
): PagePosition | undefined {
	if (undelivered !== undefined) return toPosition(undelivered);
	const last = pages.at(-1)!;
	switch (stop) {
		case 'endOfList':
			return undefined;
		case 'seenResponse':
			return kind === 'newestPages' ? undefined : getNextPosition(last);
		case 'enoughEvents':
			// later pages can have more events than the poll may deliver
			return toPosition(last);
		case 'limit':
			return getNextPosition(last);
		case 'error': {
			// new responses on the first page do not wait for a later page that fails
			const hasAdvanced = last.pagesBefore > (from?.pagesBefore ?? -1);
			return hasAdvanced || kind !== 'newestPages' ? toPosition(last) : undefined;
		}
	}
}

/**
 * Returns the state of a form with the positions of its pages after a reading.
 *
 * @param undelivered the first page with an undelivered event
 */
export function advanceReading(
	form: FormState,
	reading: Reading,
	result: ReadPages,
	undelivered: FetchedPage | undefined,
): FormState {
	const { pages } = result;
	const next = findResumePosition(reading, result, undelivered);
	if (reading.kind === 'newestPages') return advanceNewestPages(form, reading, pages, next);
	const last = pages.at(-1)!;
	const { fullPass } = form;
	const order = addVotes(reading.from && fullPass?.order, pages);
	const at = findNewestPage(order, last);
	if (endsFullPass(reading, result, undelivered)) return endFullPass(form, last, at);
	// a long first pass takes several polls, and new responses should not wait for its end
	const isEarly = reading.isFirstPass && at === 'firstPage';
	const newestPages = form.newestPages ?? (isEarly ? { at } : undefined);
	return { ...form, fullPass: { ...fullPass, next, order }, newestPages };
}

function advanceNewestPages(
	form: FormState,
	reading: Reading,
	pages: readonly FetchedPage[],
	next: PagePosition | undefined,
): FormState {
	const { at } = form.newestPages!;
	if (at === 'firstPage') return { ...form, newestPages: { at, next } };
	// a shorter list has no records on its former last page
	if (pages[0].records.length === 0) return startOver(form, reading);
	return { ...form, newestPages: { at, next: next ?? toPosition(pages.at(-1)!) } };
}

function endFullPass(form: FormState, last: FetchedPage, at: NewestAt | undefined): FormState {
	const found = at && { at, next: at === 'lastPage' ? toPosition(last) : undefined };
	const newestPages = at === form.newestPages?.at ? form.newestPages : found;
	const baseline = form.baseline && { ...form.baseline, isFirstPassOver: true };
	return { ...form, fullPass: {}, baseline, newestPages };
}

/** After this many failures in a row, a page has failed for about 20 minutes, longer than most outages. */
const MAX_FAILURES = 7;

/**
 * Whether a reading abandons the page that failed. Either the page has failed for about 20 minutes, or the page where
 * the reading continues does not exist any more, for example because a cursor has expired.
 *
 * @param error why the page could not be read, or its events could not be delivered
 * @param failures how often in a row the page has failed, including now
 * @param pageCount how many pages were read before
 */
export function hasToStartOver(
	{ kind, from }: Reading,
	error: unknown,
	failures: number,
	pageCount: number,
): boolean {
	if (error === undefined || hasReason(error, 'queueTimedOut')) return false;
	const hasFailedTooLong = failures >= MAX_FAILURES;
	if (pageCount > 0) return hasFailedTooLong && kind !== 'newestPages';
	return from !== undefined && (hasFailedTooLong || hasReason(error, 'pageExpired'));
}

/** Starts a full pass at page 1. If the newest pages could not be read, the pass finds out where they are. */
export function startOver(form: FormState, { kind }: Reading): FormState {
	const newestPages = kind === 'newestPages' ? undefined : form.newestPages;
	return { ...form, newestPages, fullPass: { hasStartedOver: true } };
}

function toPosition({ url, pagesBefore, recordsBefore }: PagePosition): PagePosition {
	return { url, pagesBefore, recordsBefore };
}

/**
 * On how many pages of a full pass the records are sorted newest first (`descending`) or oldest first
 * (`ascending`). The first and last record of a page are compared by time, or by number if their times are equal or
 * missing.
 */
type Order = NonNullable<NonNullable<FormState['fullPass']>['order']>;

type NewestAt = NonNullable<FormState['newestPages']>['at'];

/** Adds the votes of pages. */
function addVotes(order: Order | undefined, pages: readonly FetchedPage[]): Order {
	const steps = pages.map(({ records }) => {
		const first = getSortValues(records[0] ?? {});
		const last = getSortValues(records.at(-1) ?? {});
		return last.time - first.time || last.number - first.number;
	});
	const { descending, ascending } = order ?? { descending: 0, ascending: 0 };
	return {
		descending: descending + steps.filter((step) => step < 0).length,
		ascending: ascending + steps.filter((step) => step > 0).length,
	};
}

function getSortValues(record: IDataObject): { time: number; number: number } {
	return { time: getCreationTimeMs(record) ?? 0, number: parseNumber(record.number) ?? 0 };
}

/** Lists with fewer pages need no reading of the newest pages: a full pass is about as fast. */
const MIN_PAGES = 3;

/** A list is sorted if one direction has more than four times as many votes as the opposite direction. */
const MAJORITY_RATIO = 4;

/**
 * Finds out where new responses appear; undefined if the list is short or unsorted. Only a numbered last page
 * can be requested directly.
 *
 * @param last the last page that was read
 */
function findNewestPage(
	{ descending, ascending }: Order,
	{ pagesBefore, following, isNumbered }: FetchedPage,
): NewestAt | undefined {
	if (pagesBefore + (following.kind === 'none' ? 1 : 2) < MIN_PAGES) return undefined;
	if (descending > MAJORITY_RATIO * ascending) return 'firstPage';
	return isNumbered && ascending > MAJORITY_RATIO * descending ? 'lastPage' : undefined;
}
