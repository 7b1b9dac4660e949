import { sumBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { hasReason } from '../api/errors';
import { parseNumber } from '../api/values';
import { getCreationTimeMs } from '../api/records';
import { isWholeList } from '../api/replies/fetchPages';
import type { Delivery } from './deliverEvents';
import { FIRST_PAGE } from './failures';
import type { PollContext } from './pollContext';
import type { Page, Reading, ReadPages, Turn } from './readPages';
import { forgetUnlisted, RETENTION_MS, type SeenResponses } from './seenResponses';
import type { FormState, Progress } from './triggerState';

/* Computes the next state of a form: what is seen, and where the next search and the next slice start. */

type Pass = NonNullable<Progress['pass']>;
type Newest = NonNullable<Progress['newest']>;

/** Once a page has been read, the first pass of a form does not wait. One that has started over is like any other. */
export function isFirstPass({ seen, progress }: FormState): boolean {
	return progress?.pass === undefined ? seen === undefined : progress.pass.isFirst === true;
}

/** What a reading has read and delivered. */
export type PerformedReading = Readonly<{
	formId: string;
	/** The form before the reading. */
	form: FormState;
	reading: Reading;
	read: ReadPages;
	delivery: Delivery & { error?: unknown };
}>;

/** Returns the form after a reading. Undelivered events are not recorded, so they are detected again. */
export function advance(context: PollContext, performed: PerformedReading): FormState {
	const { form, reading } = performed;
	const seen = computeSeen(performed);
	if (reading.turn === 'search') {
		return { ...form, seen, progress: advanceSearch(context, performed) };
	}
	const isComplete = proveCompleteness(context, performed);
	const next = { ...form, seen, progress: advancePass(context, performed) };
	return next.progress.pass === undefined ? endPass(context, next, isComplete) : next;
}

/** Returns the same map if nothing has changed. */
function computeSeen({ form, read, delivery }: PerformedReading): SeenResponses {
	const { seen = new Map() } = form;
	const undelivered = new Set(delivery.undelivered.map(({ id }) => id));
	const delivered = [...read.events.values()].filter(({ id }) => !undelivered.has(id));
	const isSame = read.updates.size === 0 && delivered.length === 0;
	if (isSame) return seen;
	const next = new Map([...seen, ...read.updates]);
	for (const { id, seenAfter } of delivered) next.set(id, seenAfter);
	return next;
}

/** Returns the page where a reading of the same kind goes on. Undefined if it has come to its end. */
function findResumePage({ read, delivery }: PerformedReading): string | undefined {
	const { pages, isCut } = read;
	const [undelivered] = delivery.undelivered;
	if (undelivered !== undefined) return pages[undelivered.pageIndex].page;
	const last = pages.at(-1)!;
	return isCut ? (last.next ?? last.page) : undefined;
}

/** Whether a page has failed, other than by the time of the poll. */
function hasFailed({ error }: ReadPages): boolean {
	return error !== undefined && !hasReason(error, 'pollTimedOut');
}

/** A search that is cut goes on at its next turn, before the pass does. */
function advanceSearch(context: PollContext, performed: PerformedReading): Progress {
	const { form, reading, read } = performed;
	const newest = form.progress!.newest!;
	const isOldestFirst = newest.order === 'oldestFirst';
	// the list has become shorter, so another page is the last one now
	const isLost = isOldestFirst && read.pages[0].records.length === 0;
	if (isLost) return { ...form.progress, newest: undefined, turn: 'pass' };
	const start = isOldestFirst ? read.pages.at(-1)!.page : FIRST_PAGE;
	const { order, searchedAtMs } = newest;
	const page = findResumePage(performed);
	// the first pages, which have the new responses, must not wait for a later page that fails
	if (hasFailed(read)) {
		const [undelivered] = performed.delivery.undelivered;
		const again = isOldestFirst && undelivered !== undefined ? page! : start;
		return { ...form.progress, newest: { order, page: again, searchedAtMs }, turn: 'pass' };
	}
	const isStart = reading.from === FIRST_PAGE || newest.searchingSinceMs === undefined;
	const searchingSinceMs = isStart ? getServiceMs(context) : newest.searchingSinceMs;
	if (page === undefined) {
		const found = { order, page: start, searchedAtMs: searchingSinceMs! };
		return { ...form.progress, newest: found, turn: 'pass' };
	}
	const unfinished = { order, page, searchedAtMs, searchingSinceMs };
	return { ...form.progress, newest: unfinished, turn: 'search' };
}

function getServiceMs({ cache, times }: PollContext): number {
	return times.pollStartedAtMs + cache.clockOffsetMs;
}

function advancePass(context: PollContext, performed: PerformedReading): Progress {
	const { form, read, delivery } = performed;
	const { pass } = form.progress ?? {};
	const [undelivered] = delivery.undelivered;
	// a page with an undelivered event is read again
	const passed = read.pages.slice(0, undelivered?.pageIndex);
	const pageCount = (pass?.pageCount ?? 0) + passed.length;
	const ascent = (pass?.ascent ?? 0) + sumBy(passed, computeStep);
	const page = findResumePage(performed);
	const isEnd = page === undefined;
	const newest = findNewest(context, performed, { pageCount, ascent, isEnd });
	const next = isEnd ? undefined : { page, pageCount, ascent, isFirst: isFirstPass(form) };
	return { ...form.progress, turn: 'search', newest, pass: next };
}

/** Returns 1 if the times or numbers of a page rise, -1 if they fall, and 0 if the order is unknown. */
function computeStep({ records }: Page): number {
	const [first = {}, last = {}] = [records[0], records.at(-1)];
	const getStep = (read: (record: IDataObject) => number | undefined) =>
		Math.sign((read(last) ?? NaN) - (read(first) ?? NaN)) || 0;
	return getStep(getCreationTimeMs) || getStep(({ number }) => parseNumber(number));
}

/** In a list of fewer pages, a pass finds new responses about as fast. */
const MIN_PAGES = 3;

/** Fewer pages of a longer list can be in one order by chance. */
const MIN_PAGES_BEFORE_END = 10;

/** Finds where new responses appear, from the pages that the pass has read so far. */
function findNewest(
	context: PollContext,
	{ form, read }: PerformedReading,
	{ pageCount, ascent, isEnd }: Readonly<{ pageCount: number; ascent: number; isEnd: boolean }>,
): Newest | undefined {
	const { newest } = form.progress ?? {};
	const minPages = isEnd ? MIN_PAGES : MIN_PAGES_BEFORE_END;
	const hasOrder = pageCount >= minPages && Math.abs(ascent) > pageCount / 2;
	if (!hasOrder) return isEnd ? undefined : newest;
	const order = ascent < 0 ? 'newestFirst' : 'oldestFirst';
	// only the end of the pass shows the last page
	if (order === newest?.order || (order === 'oldestFirst' && !isEnd)) return newest;
	const page = order === 'oldestFirst' ? read.pages.at(-1)!.page : FIRST_PAGE;
	return { order, page, searchedAtMs: getServiceMs(context) };
}

/** Whether the pass has listed each response, as far as it has come. Forgotten at a restart of n8n. */
function proveCompleteness(
	{ cache }: PollContext,
	{ formId, reading, read, delivery }: PerformedReading,
): boolean {
	const isStart = reading.from === FIRST_PAGE;
	const { total } = read.pages[0];
	const proof = isStart
		? { ids: new Set<string>(), recordCount: 0, total }
		: cache.passes.get(formId);
	cache.passes.delete(formId);
	// a page with undelivered events is read again, so its responses would count twice
	if (proof === undefined || delivery.undelivered.length > 0) return false;
	for (const { ids } of read.pages) {
		for (const id of ids) proof.ids.add(id);
		proof.recordCount += ids.length;
	}
	cache.passes.set(formId, proof);
	// a list that is empty for a moment proves nothing
	const distinctCount = proof.ids.size;
	return distinctCount > 0 && isWholeList({ ...proof, distinctCount });
}

/** After a complete pass, each unseen response is new, and what has been gone for 30 days is forgotten. */
function endPass({ times }: PollContext, form: FormState, isComplete: boolean): FormState {
	const { baseline, seen = new Map(), forgotAtMs = times.pollStartedAtMs } = form;
	if (!isComplete) {
		const isKnown = baseline === undefined || baseline.isFirstPassOver;
		return isKnown ? form : { ...form, baseline: { ...baseline, isFirstPassOver: true } };
	}
	if (times.pollStartedAtMs - forgotAtMs < RETENTION_MS) {
		return { ...form, baseline: undefined, forgotAtMs };
	}
	const forgotten = { seen: forgetUnlisted(seen), forgotAtMs: times.pollStartedAtMs };
	return { ...form, baseline: undefined, ...forgotten };
}

/** A page that fails has to leave the next turn to other pages. */
export function skipTurn(form: FormState, failed: Turn): FormState {
	const turn = failed === 'pass' ? 'search' : 'pass';
	return { ...form, progress: { ...form.progress, turn } };
}

/** Returns the form with a pass that starts again, or a search at the first page. */
export function startOver({ progress, ...form }: FormState, turn: Turn): FormState {
	const { newest } = progress ?? {};
	if (turn === 'pass') {
		const pass: Pass = { page: FIRST_PAGE, pageCount: 0, ascent: 0 };
		return { ...form, progress: { ...progress, pass } };
	}
	// the end of the next pass shows the last page of the list
	const isOldestFirst = newest?.order === 'oldestFirst';
	const next = isOldestFirst ? undefined : newest && { ...newest, page: FIRST_PAGE };
	return { ...form, progress: { ...progress, newest: next, turn: 'pass' } };
}
