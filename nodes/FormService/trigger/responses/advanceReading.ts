import type { IDataObject } from 'n8n-workflow';
import { getCause, isUnsent } from '../../api/errors';
import { parseNumber } from '../../api/parseValues';
import { getCreationTimeMs } from '../../api/recordTimes';
import type { PagePosition } from '../../api/replies/fetchPages';
import type { FetchedPage } from '../fetchList';
import type { FormState } from '../triggerState';
import type { Reading, StopReason } from './planReading';

/** Where the next reading of a form starts, and at which end of the list new responses appear. */

/**
 * Finds the page where a later poll continues the reading; undefined if the reading starts over.
 *
 * @param pages the pages that were read, at least one
 * @param undelivered the first page with an undelivered event
 */
export function findResumePosition(
	{ kind, from }: Reading,
	pages: readonly FetchedPage[],
	stop: StopReason,
	undelivered: FetchedPage | undefined,
): PagePosition | undefined {
	if (undelivered !== undefined) return toPosition(undelivered);
	const last = pages.at(-1)!;
	switch (stop) {
		case 'endOfList':
			return undefined;
		case 'seenResponse':
			return kind === 'newestPages' ? undefined : last.next;
		case 'noCapacity':
			// later pages can have more events than the poll may deliver
			return toPosition(last);
		case 'limit':
			return last.next;
		case 'error':
			// if the reading did not advance, the list may have changed
			return last.pagesBefore > (from?.pagesBefore ?? -1) ? toPosition(last) : undefined;
	}
}

/**
 * Returns the part of a form's state that says where the next readings start.
 *
 * @param pages the pages that were read, at least one
 * @param next see `findResumePosition`
 * @param isPassOver whether a full pass has come to its end
 */
export function advanceReading(
	form: FormState,
	reading: Reading,
	pages: readonly FetchedPage[],
	next: PagePosition | undefined,
	isPassOver: boolean,
): FormState {
	if (reading.kind === 'newestPages') return advanceNewestPages(form, pages, next);
	const last = pages.at(-1)!;
	const order = addVotes(reading.from && form.fullPass?.order, pages);
	const at = findNewestPage(order, last);
	if (isPassOver) return endFullPass(form, last, at);
	// a long first pass takes several polls, and new responses should not wait for its end
	const isEarly = reading.kind === 'firstPass' && at === 'firstPage';
	const newestPages = form.newestPages ?? (isEarly ? { at } : undefined);
	return { ...form, fullPass: { next, order }, newestPages };
}

function advanceNewestPages(
	form: FormState,
	pages: readonly FetchedPage[],
	next: PagePosition | undefined,
): FormState {
	const { at } = form.newestPages!;
	if (at === 'firstPage') return { ...form, newestPages: { at, next } };
	// a list that has become shorter has nothing at its former last page
	if (pages[0].records.length === 0) return resetNewestPages(form);
	return { ...form, newestPages: { at, next: next ?? toPosition(pages.at(-1)!) } };
}

function endFullPass(form: FormState, last: FetchedPage, at: NewestAt | undefined): FormState {
	const found = at && { at, next: at === 'lastPage' ? toPosition(last) : undefined };
	const newestPages = at === form.newestPages?.at ? form.newestPages : found;
	const baseline = form.baseline && { ...form.baseline, isFirstPassOver: true };
	return { ...form, fullPass: {}, baseline, newestPages };
}

/** After this many failures in a row, a reading abandons its page. */
const MAX_FAILURES = 3;

/**
 * Returns the state of a form after a reading that could not read any page. The reading starts over if its
 * page cannot be reached any more, such as with a cursor that has expired, or has failed three times in a row.
 *
 * @param failures how often in a row the page has failed, with this time
 */
export function restartAfterRepeatedFailures(
	form: FormState,
	{ kind, from }: Reading,
	error: unknown,
	failures: number,
): FormState {
	if (from === undefined || isUnsent(error)) return form;
	const isUnreachable = getCause(error) === 'configuration-invalid';
	if (!isUnreachable && failures < MAX_FAILURES) return form;
	return kind === 'newestPages' ? resetNewestPages(form) : { ...form, fullPass: {} };
}

/** A new full pass finds out where the newest pages are. */
function resetNewestPages(form: FormState): FormState {
	return { ...form, newestPages: undefined, fullPass: {} };
}

function toPosition({ url, pagesBefore, recordsBefore }: PagePosition): PagePosition {
	return { url, pagesBefore, recordsBefore };
}

/** On how many pages of a full pass the times, or the numbers if there are no times, fell or rose from first to last record. */
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

/** A list is sorted if more than four times as many pages vote for one direction as for the opposite direction. */
const MAJORITY_RATIO = 4;

/**
 * Finds out where new responses appear; undefined if the list is short or unsorted. Only a numbered last page
 * can be requested directly.
 *
 * @param last the last page that was read
 */
function findNewestPage(
	{ descending, ascending }: Order,
	{ pagesBefore, isLast, isNumbered }: FetchedPage,
): NewestAt | undefined {
	if (pagesBefore + (isLast ? 1 : 2) < MIN_PAGES) return undefined;
	if (descending > MAJORITY_RATIO * ascending) return 'firstPage';
	return isNumbered && ascending > MAJORITY_RATIO * descending ? 'lastPage' : undefined;
}
