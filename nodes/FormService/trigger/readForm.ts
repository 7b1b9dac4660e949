import { clock } from '../api/clock';
import { getRequestFailure, hasReason, ServiceError, toNodeError } from '../api/errors';
import type { NodeError } from '../api/errors';
import { MAX_PAGES } from '../api/replies/fetchPages';
import { createFormNotFoundError, isFormNotFoundError } from '../parameters/locators';
import { deliverEvents } from './deliverEvents';
import { FIRST_PAGE, isAccountFailure, MIN_FAILURES, type ReadingOutcome } from './failures';
import { advance, isFirstPass, skipTurn, startOver, type PerformedReading } from './formProgress';
import { isBackingOff, type OutputItem, type PollContext } from './pollContext';
import { ensureBaseline, readPages, type Reading, type ReadPages, type Turn } from './readPages';
import {
	computeAllowance,
	computeDueAtMs,
	computeMaxRequests,
	isDue,
	MINUTE_MS,
} from './requestBudget';
import type { FormState } from './triggerState';

/*
 * Reads the responses of one form.
 *
 * A pass reads all pages of the list. A list in one reply is read whole each time. A list with an order and at
 * least three pages is read by turns: a search reads the end of the list where new responses appear, and the next
 * reading is a slice of the pass, usually one page, which finds what happens on older pages. All other lists are
 * read only by passes.
 */

/** After a failure, a first pass reads at most this many pages per poll, because it may have to read them again. */
const MAX_PAGES_AFTER_FAILURE = 10;

/** The service allows 60 requests a minute for pages and fields together. */
const MAX_PAGES_WITH_FIELDS = 50;

/**
 * Plans what a poll reads of a form. Undefined if the form is not due, or waits after a failure.
 *
 * @param turns the turns that this poll has not taken yet
 */
export function planReading(
	context: PollContext,
	formId: string,
	form: FormState = {},
	turns: readonly Turn[],
): Reading | undefined {
	const { budget, cache } = context;
	const { schedule, turn = 'search', newest, pass } = form.progress ?? {};
	const hasFailed = cache.failures.get(`form ${formId}`) !== undefined;
	const isFirst = isFirstPass(form);
	// a first pass that has read a page goes on without a wait
	const isAtOnce = isFirst && form.seen !== undefined;
	if (!isAtOnce && !isDue(schedule, budget.nowMs)) return undefined;
	const starts: Record<Turn, string> = {
		search: newest?.page ?? FIRST_PAGE,
		pass: pass?.page ?? FIRST_PAGE,
	};
	const possible = turns.filter((one) => {
		const isUseful = one === 'pass' || (newest !== undefined && !isFirst);
		return isUseful && !isBackingOff(context, `form ${formId}`, starts[one]);
	});
	const next = possible.includes(turn) ? turn : possible[0];
	if (next === undefined) return undefined;
	const isNewestFirst = next === 'search' && newest?.order === 'newestFirst';
	return {
		turn: next,
		from: starts[next],
		maxPages: computeMaxPages(context, form, next, hasFailed),
		searchedAtMs: isNewestFirst ? newest.searchedAtMs : undefined,
	};
}

/** Computes how many pages a reading may have. The first pass reads all that there is time for. */
function computeMaxPages(
	{ budget, parameters }: PollContext,
	form: FormState,
	turn: Turn,
	hasFailed: boolean,
): number {
	const firstLimit = hasFailed ? MAX_PAGES_AFTER_FAILURE : MAX_PAGES;
	const passLimit = computeAllowance(form.progress?.schedule, budget);
	// a search that is too short would leave new responses for hours
	const searchLimit = Math.max(2, computeMaxRequests(budget));
	const limit = turn === 'search' ? searchLimit : isFirstPass(form) ? firstLimit : passLimit;
	return parameters.lists.fields ? Math.min(limit, MAX_PAGES_WITH_FIELDS) : limit;
}

export type FormResult = { form: FormState; items: readonly OutputItem[]; outcome: ReadingOutcome };

type Failure = Readonly<{ error: NodeError; page: string }>;

/**
 * Reads pages of a form and delivers their events. An error is in the outcome.
 *
 * @param capacity how many more items the poll may deliver
 * @param hasReadPages whether the poll has read a page of any list
 */
export async function readForm(
	context: PollContext,
	formId: string,
	formBefore: FormState,
	reading: Reading,
	{ capacity, hasReadPages }: Readonly<{ capacity: number; hasReadPages: boolean }>,
): Promise<FormResult> {
	const read = await readPages(context, formId, formBefore, reading, capacity);
	const form = read.pages.length > 0 ? ensureBaseline(context, formBefore) : formBefore;
	const delivery = await tryDelivery(context, formId, read, capacity);
	const performed = { formId, form, reading, read, delivery };
	const failure = findFailure(context, performed, hasReadPages);
	const isDelivered = delivery.error === undefined && read.pages.length > 0;
	const skipped = failure === undefined ? form : skipTurn(form, reading.turn);
	const advanced = isDelivered ? advance(context, performed) : skipped;
	const hasToGoBack = hasToStartOver(context, performed, failure);
	const next = hasToGoBack ? startOver(advanced, reading.turn) : advanced;
	return {
		form: addRequests(context, performed, next, failure),
		items: delivery.items,
		outcome: {
			subject: `form ${formId}`,
			readPages: isDelivered ? read.pages.map(({ page }) => page) : [],
			isWhole: isDelivered && reading.turn === 'pass' && advanced.progress?.pass === undefined,
			error: failure?.error,
			failedPage: failure?.page,
			startsOver: hasToGoBack,
		},
	};
}

/** Delivers the events of the pages. A failed delivery keeps the form as it was, so its pages are read again. */
async function tryDelivery(
	context: PollContext,
	formId: string,
	{ pages, events }: ReadPages,
	capacity: number,
): Promise<PerformedReading['delivery']> {
	const none = { items: [], undelivered: [], fieldRequests: 0 };
	if (pages.length === 0) return none;
	try {
		return await deliverEvents(context, formId, [...events.values()], capacity);
	} catch (error) {
		// the number of requests is unknown, and usually one
		return { ...none, fieldRequests: 1, error };
	}
}

/** Returns what people may have to know: not that the poll had no time for a page, or that a search is lost. */
function findFailure(
	context: PollContext,
	{ formId, reading, read, delivery }: PerformedReading,
	hasReadPages: boolean,
): Failure | undefined {
	const isLate = hasReason(read.error, 'pollTimedOut') && (hasReadPages || read.pages.length > 0);
	const isLostSearch = reading.turn === 'search' && isPositionGone(reading, read);
	const readError = isLate || isLostSearch ? undefined : read.error;
	if (delivery.error !== undefined && !isAccountFailure(readError)) {
		return { error: toFormError(context, formId, delivery.error), page: reading.from };
	}
	if (readError === undefined) return undefined;
	const last = read.pages.at(-1);
	const page = last === undefined ? reading.from : (last.next ?? last.page);
	if (page === FIRST_PAGE) return { error: toFormError(context, formId, readError), page };
	return { error: toPageError(context, readError), page };
}

/** Converts an error to one of the node. It names the form if the form does not exist. */
function toFormError({ request, cache }: PollContext, formId: string, error: unknown): NodeError {
	const node = request.n8n.getNode();
	if (!isFormNotFoundError(error)) return toNodeError(node, error);
	return createFormNotFoundError(node, formId, { listedName: cache.names.get(formId) });
}

/** The statuses with which a service says that it has no such page, for example because a cursor has expired. */
const GONE_STATUSES = [400, 404, 410, 422];

function isGone(error: unknown): boolean {
	return GONE_STATUSES.includes(getRequestFailure(error)?.status ?? 0);
}

/** Whether the page where the reading starts does not exist any more. */
function isPositionGone({ from }: Reading, { pages, error }: ReadPages): boolean {
	return from !== FIRST_PAGE && pages.length === 0 && isGone(error);
}

/** Converts the error of a later page. Its form exists, whatever the service says of the page. */
function toPageError({ request }: PollContext, error: unknown): NodeError {
	if (!(error instanceof ServiceError) || !isGone(error)) {
		return toNodeError(request.n8n.getNode(), error);
	}
	const { status } = error.requestFailure;
	return error.withText({
		message: `The position in the list of responses has expired: status ${status}`,
		description: 'Later pages are not read if their addresses expire before the next poll.',
	});
}

/** A shorter outage interrupts no pass. */
const MAX_FAILING_MS = 20 * MINUTE_MS;

/** Whether the next reading must leave the page where this one started, so that a bad page blocks nothing. */
function hasToStartOver(
	{ cache }: PollContext,
	{ formId, form, reading, read }: PerformedReading,
	failure: Failure | undefined,
): boolean {
	if (isPositionGone(reading, read)) return true;
	const { from } = reading;
	const streak = cache.failures.get(`form ${formId}`);
	if (from === FIRST_PAGE || failure?.page !== from || streak?.page !== from) return false;
	// no other page of such a list has new responses
	const isOldestFirst = form.progress?.newest?.order === 'oldestFirst';
	if (reading.turn === 'search' && isOldestFirst) return false;
	// this failure is recorded later
	const isOften = streak.pageCount + 1 >= MIN_FAILURES;
	return isOften && clock.now() - streak.pageFailedAtMs >= MAX_FAILING_MS;
}

/** Adds the requests of a reading to the form's schedule. A form that was not read keeps its place in the queue. */
function addRequests(
	{ budget }: PollContext,
	{ form, read, delivery }: PerformedReading,
	next: FormState,
	failure: Failure | undefined,
): FormState {
	const { schedule } = form.progress ?? {};
	// the pages of the first pass are extra
	const pageRequests = isFirstPass(form) ? Math.min(1, read.requests) : read.requests;
	const isRead = read.pages.length > 0 || failure !== undefined;
	const dueAtMs = computeDueAtMs(schedule, pageRequests + delivery.fieldRequests, budget);
	const readAtMs = isRead ? clock.now() : (schedule?.readAtMs ?? 0);
	return { ...next, progress: { ...next.progress, schedule: { readAtMs, dueAtMs } } };
}
