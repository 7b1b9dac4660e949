import { hasReason } from '../../api/errors';
import type { FailureCount } from '../failures';
import type { TimedPage } from '../fetchList';
import type { PagePosition } from '../pagePosition';
import { MINUTE_MS } from '../requestBudget';
import type { FormState } from '../triggerState';
import { countPageOrders, findNewestPage, type NewestPage } from './findNewestPage';
import type { Reading } from './planReading';
import type { FormPagesResult } from './readFormPages';

/* Decides where the next reading of a form starts. */

/** The pages that a reading has read (at least one page), and why the reading stopped. */
type ReadPages = Pick<FormPagesResult, 'pages' | 'stop'>;

/**
 * Whether the reading has reached the end of a full pass, and all events were delivered.
 *
 * @param undelivered the first page with an undelivered event
 */
export function isEndOfFullPass(
	{ kind }: Reading,
	{ stop }: ReadPages,
	undelivered: TimedPage | undefined,
): boolean {
	return kind === 'fullPass' && stop === 'endOfList' && undelivered === undefined;
}

/**
 * Returns the position of the page where the reading of a later poll continues. Undefined if the later
 * reading starts at the first page.
 *
 * @param undelivered the first page with an undelivered event
 */
export function findResumePosition(
	{ kind, from }: Reading,
	{ pages, stop }: ReadPages,
	undelivered: TimedPage | undefined,
): PagePosition | undefined {
	if (undelivered !== undefined) return toPosition(undelivered);
	const last = pages.at(-1)!;
	switch (stop) {
		case 'endOfList':
			return undefined;
		case 'seenResponse':
			return kind === 'newestPages' ? undefined : last.next;
		case 'enoughEvents':
			// reading this page again delivers no event twice, because the delivered events are recorded
			return toPosition(last);
		case 'limit':
			return last.next;
		case 'error': {
			// Continue at the last page that was read. But if a reading of the newest pages has read only the page at
			// which it started, start at the first page, so that new responses need not wait for a later page that
			// fails.
			const hasAdvanced = last.pagesBefore > (from?.pagesBefore ?? -1);
			return hasAdvanced || kind !== 'newestPages' ? toPosition(last) : undefined;
		}
	}
}

/**
 * Returns the state of a form after a reading, with the page positions for the next reading.
 *
 * @param undelivered the first page with an undelivered event
 */
export function advanceReading(
	form: FormState,
	reading: Reading,
	result: ReadPages,
	undelivered: TimedPage | undefined,
): FormState {
	const { pages } = result;
	const next = findResumePosition(reading, result, undelivered);
	if (reading.kind === 'newestPages') return advanceNewestPages(form, reading, pages, next);
	const last = pages.at(-1)!;
	const { fullPass } = form;
	const order = countPageOrders(reading.from && fullPass?.order, pages);
	const at = findNewestPage(order, last);
	if (isEndOfFullPass(reading, result, undelivered)) return endFullPass(form, last, at);
	// a long first pass takes several polls, and new responses must not wait for the end of the pass
	const isEarly = reading.isFirstPass && at === 'firstPage';
	const newestPages = form.newestPages ?? (isEarly ? { at } : undefined);
	return { ...form, fullPass: { ...fullPass, next, order }, newestPages };
}

function advanceNewestPages(
	form: FormState,
	reading: Reading,
	pages: readonly TimedPage[],
	next: PagePosition | undefined,
): FormState {
	const { at } = form.newestPages!;
	if (at === 'firstPage') return { ...form, newestPages: { at, next } };
	// if the list has become shorter, its former last page has no records
	if (pages[0].records.length === 0) return startOver(form, reading);
	return { ...form, newestPages: { at, next: next ?? toPosition(pages.at(-1)!) } };
}

function endFullPass(form: FormState, last: TimedPage, at: NewestPage | undefined): FormState {
	const found = at && { at, next: at === 'lastPage' ? toPosition(last) : undefined };
	const newestPages = at === form.newestPages?.at ? form.newestPages : found;
	const baseline = form.baseline && { ...form.baseline, isFirstPassOver: true };
	// if polls read the newest pages separately, the next full pass can try again to read page by page
	const positionsExpire = newestPages === undefined && form.fullPass?.positionsExpire;
	return { ...form, fullPass: positionsExpire ? { positionsExpire } : {}, baseline, newestPages };
}

/** How long a page must have been failing before a full pass starts over. Most outages are shorter. */
const MAX_FAILING_MS = 20 * MINUTE_MS;

/**
 * How many times in a row a page must have failed before a full pass starts over. `MAX_FAILING_MS` alone is
 * not enough: if a form is polled rarely, 20 minutes can pass with only two failures.
 */
const MIN_FAILURES = 3;

/**
 * Whether the full pass must start over after a failure, so that a page that always fails does not block the rest
 * of the list. A failure has lasted too long after at least three failures in a row, over at least 20 minutes.
 * True in three cases:
 *
 * - The reading could not read the saved page where it started, because the page position has expired.
 * - The reading could not read the saved page where it started, and the failure has lasted too long.
 * - A full pass could read a page in this poll, but a later page or the delivery failed, and the failure has
 *   lasted too long.
 *
 * @param error why the page could not be read, or why its events could not be delivered
 * @param failures the failures of the page in a row, including this failure
 * @param pageCount how many pages the poll has read before the failure
 */
export function hasToStartOver(
	{ kind, from }: Reading,
	error: unknown,
	{ count, firstFailedAtMs }: FailureCount,
	pageCount: number,
	nowMs: number,
): boolean {
	if (error === undefined || hasReason(error, 'queueTimedOut')) return false;
	const hasFailedTooLong = count >= MIN_FAILURES && nowMs - firstFailedAtMs >= MAX_FAILING_MS;
	if (pageCount > 0) return hasFailedTooLong && kind !== 'newestPages';
	return from !== undefined && hasFailedTooLong;
}

/**
 * Returns the state of a form whose full pass starts over at the first page. If the newest pages could not be
 * read, the full pass also finds out where the newest pages are.
 *
 * @param positionsExpire whether the pass starts over because a page position has expired
 */
export function startOver(form: FormState, { kind }: Reading, positionsExpire = false): FormState {
	const newestPages = kind === 'newestPages' ? undefined : form.newestPages;
	const fullPass = { hasStartedOver: true, ...(positionsExpire && { positionsExpire }) };
	return { ...form, newestPages, fullPass };
}

function toPosition({ url, pagesBefore, recordsBefore }: PagePosition): PagePosition {
	return { url, pagesBefore, recordsBefore };
}
