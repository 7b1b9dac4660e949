import { expect, it } from 'vitest';
import { ServiceError } from '../../../../nodes/FormService/api/errors.ts';
import { createFailure, type FailureReason } from '../../../../nodes/FormService/api/failures.ts';
import type { TimedPage } from '../../../../nodes/FormService/trigger/fetchList.ts';
import * as advance from '../../../../nodes/FormService/trigger/responses/advanceReading.ts';
import { countPageOrders } from '../../../../nodes/FormService/trigger/responses/findNewestPage.ts';
import * as plan from '../../../../nodes/FormService/trigger/responses/planReading.ts';
import type {
	Reading,
	StopReason,
} from '../../../../nodes/FormService/trigger/responses/planReading.ts';
import type { FormState } from '../../../../nodes/FormService/trigger/triggerState.ts';
import { MINUTE_MS } from '../../../time.mts';

const node = { id: 'n', name: 'N', type: 't', typeVersion: 1, position: [0, 0], parameters: {} };
const at = (page: number) => {
	const pagesBefore = page - 1;
	return { url: `https://x.example/?page=${page}`, pagesBefore, recordsBefore: 2 * pagesBefore };
};

/** The number of a record, or the day of one without a number. */
type Place = number | string;

/** A page of a list of so many pages, with these records. */
const createPage = (page: number, pages: number, places: Place[] = []): TimedPage => ({
	...at(page),
	sentAtMs: 0,
	records: places.map((place) => {
		const order =
			typeof place === 'string' ? { created_at: `2026-11-${place}` } : { number: place };
		return { uuid: `${place}`, ...order };
	}),
	next: page === pages ? undefined : at(page + 1),
	servedAtMs: 0,
});
/** All pages of a list with these records, two on a page. */
const createPages = (...places: Place[]) => {
	const count = Math.ceil(places.length / 2);
	return Array.from({ length: count }, (_, index) =>
		createPage(index + 1, count, places.slice(2 * index, 2 * index + 2)),
	);
};
const createReading = (name: Reading['kind'] | 'firstPass', from?: number): Reading => {
	const isFirstPass = name === 'firstPass';
	const kind = isFirstPass ? 'fullPass' : name;
	const start = from === undefined ? undefined : at(from);
	return { kind, isFirstPass, from: start, maxPages: 9, stopsAtSeen: false };
};
const advanceTo = (
	form: FormState,
	reading: Reading,
	pages: TimedPage[],
	stop: StopReason,
	undelivered?: TimedPage,
) => advance.advanceReading(form, reading, { stop, pages }, undelivered);
const FULL = createReading('fullPass');
const READ: FormState = { seen: '', debt: { atMs: 0, requests: 1 }, fullPass: {} };
const FROM_FOURTH = createReading('fullPass', 4);
const FOURTH: FormState = { ...READ, fullPass: { next: at(4) } };
const fail = (reason: FailureReason) =>
	new ServiceError(node as never, createFailure(reason as 'canceled'), {
		message: 'failed',
		description: '',
	});

it.each<[string, Place[], 'firstPage' | 'lastPage' | undefined]>([
	['falls', [8, 7, 6, 5, 4, 3, 2, 1], 'firstPage'],
	['rises', [1, 2, 3, 4, 5, 6, 7, 8], 'lastPage'],
	['is that of times', ['16', '15', '14', '13', '12', '11'], 'firstPage'],
	['falls, but on one page', [12, 11, 9, 8, 7, 6, 4, 5, 3, 2, 1, 0], 'firstPage'],
	['is mixed', [3, 8, 1, 6, 2, 7, 5, 4], undefined],
	['is that of two pages', [4, 3, 2, 1], undefined],
	['is the same for all', [1, 1, 1, 1, 1, 1], undefined],
])('New responses are expected at an end of a list whose order %s', (_text, places, end) => {
	const pages = createPages(...places);
	const { newestPages, fullPass } = advanceTo(READ, FULL, pages, 'endOfList');
	expect(newestPages?.at).toBe(end);
	expect(fullPass).toEqual({});
});

it('A long first pass finds newest pages at the beginning before it has ended', () => {
	const form: FormState = { baseline: { sinceMs: 0 } };
	const pages = [createPage(1, 9, [18, 17]), createPage(2, 9, [16, 15])];
	const first = createReading('firstPass');
	const after = advanceTo(form, first, pages, 'limit');
	expect([after.newestPages?.at, after.fullPass?.next, after.baseline]).toEqual([
		'firstPage',
		at(3),
		form.baseline,
	]);
});

it('A form remembers what existed, and that its first pass is over', () => {
	const form: FormState = { baseline: { sinceMs: 0 } };
	const first = createReading('firstPass');
	const pages = createPages(1, 2);
	const { baseline } = advanceTo(form, first, pages, 'endOfList');
	expect(baseline).toEqual({ sinceMs: 0, isFirstPassOver: true });
	const again = advanceTo(form, first, pages, 'endOfList', pages[0]);
	expect([again.baseline, again.fullPass?.next]).toEqual([form.baseline, at(1)]);
});

/** Pages 8 and 9 of ten were read, and the reading started at one of them or at page 1. */
it.each<[string, Reading, StopReason, number | undefined, number | undefined]>([
	['page 1 at the end of the list', FULL, 'endOfList', undefined, undefined],
	['the page with an undelivered event at the end of the list', FULL, 'endOfList', 8, 8],
	['the next page if a full pass meets a seen response', FULL, 'seenResponse', undefined, 10],
	[
		'page 1 if the newest pages meet a seen response',
		createReading('newestPages'),
		...(['seenResponse', undefined, undefined] as const),
	],
	['the last page if it can have more events than capacity', FULL, 'enoughEvents', undefined, 9],
	['the page with an undelivered event before the last page', FULL, 'enoughEvents', 8, 8],
	['the next page after the last request', FULL, 'limit', undefined, 10],
	['the last good page after an error', createReading('fullPass', 8), 'error', undefined, 9],
	['that page if an error comes after it', createReading('fullPass', 9), 'error', undefined, 9],
	[
		'page 1 if an error comes after the newest page',
		createReading('newestPages', 9),
		...(['error', undefined, undefined] as const),
	],
])('A reading continues at %s', (_text, reading, stop, undelivered, expected) => {
	const pages = [createPage(8, 10), createPage(9, 10)];
	const page = pages.find(({ pagesBefore }) => pagesBefore + 1 === undelivered);
	const next = advance.findResumePosition(reading, { stop, pages }, page);
	expect(next).toEqual(expected === undefined ? undefined : at(expected));
});

it('A page with only one creation time is counted by its numbers, or not at all', () => {
	const [first, last] = createPage(1, 1, ['21', 3]).records;
	const count = (...records: object[]) =>
		countPageOrders(undefined, [{ ...createPage(1, 1), records: records as never }]);
	expect(count(first, last)).toEqual({ descending: 0, ascending: 0 });
	expect(count({ ...first, number: 5 }, last)).toEqual({ descending: 1, ascending: 0 });
});

it('A list that has become shorter starts a full pass', () => {
	const form: FormState = { ...FOURTH, newestPages: { at: 'lastPage', next: at(9) } };
	const reading = createReading('newestPages', 9);
	const after = advanceTo(form, reading, [createPage(9, 9)], 'endOfList');
	expect([after.newestPages, after.fullPass]).toEqual([undefined, { hasStartedOver: true }]);
});

it.each<[string, Reading, FailureReason, number, number, number, boolean]>([
	['was not requested', FROM_FOURTH, 'queueTimedOut', 9, 60, 0, false],
	['has failed for 19 minutes', FROM_FOURTH, 'serverError', 9, 19, 0, false],
	['has failed twice in two hours', FROM_FOURTH, 'serverError', 2, 120, 0, false],
	['has failed three times in 20 minutes', FROM_FOURTH, 'serverError', 3, 20, 0, true],
	['has failed for 20 minutes after other pages', FROM_FOURTH, 'serverError', 7, 20, 2, true],
	['is the first one, and has failed for 20 minutes', FULL, 'serverError', 7, 20, 0, false],
	['is forbidden for now', FROM_FOURTH, 'accessDenied', 1, 0, 0, false],
	['is a web page for now', FROM_FOURTH, 'webPage', 6, 13, 0, false],
	['comes after newest pages', createReading('newestPages', 4), 'serverError', 9, 60, 2, false],
])(
	'A reading starts over or not if its page %s',
	(_text, reading, reason, count, minutes, pageCount, starts) => {
		const nowMs = minutes * MINUTE_MS;
		const failures = { count, firstFailedAtMs: 0 };
		const result = advance.hasToStartOver(reading, fail(reason), failures, pageCount, nowMs);
		expect(result).toBe(starts);
	},
);

const BUDGET = { intervalMs: 120_000, unusedRequests: 0, maxRequests: 72 };
const planNewest = (form: FormState, isFullPassInBackoff = false) =>
	plan.planNewestPages(form, BUDGET, isFullPassInBackoff);
const planFull = (form: FormState, unusedRequests = 0, isFailing = false) =>
	plan.planFullPass(form, { ...BUDGET, unusedRequests }, isFailing);
it('A first pass that has started over is an ordinary full pass until its end', () => {
	const form: FormState = { ...FOURTH, baseline: { sinceMs: 0 } };
	const first = createReading('firstPass', 4);
	const startedOver = advance.startOver(form, first);
	expect([form, startedOver].map((state) => planFull(state).isFirstPass)).toEqual([true, false]);
	const pages = [createPage(1, 3, [6, 5])];
	const later = advanceTo(startedOver, FULL, pages, 'limit');
	expect(planFull(later)).toEqual({ ...createReading('fullPass', 2), maxPages: 1 });
	const over = advanceTo(later, FULL, [createPage(3, 3)], 'endOfList');
	expect([over.fullPass, over.baseline?.isFirstPassOver]).toEqual([{}, true]);
});

const LATER: FormState = { ...FOURTH, newestPages: { at: 'firstPage' } };
it('A full pass after an expired position reads as many pages as the budget allows, and at least four', () => {
	const form = advance.startOver({ ...LATER, baseline: { sinceMs: 0 } }, FROM_FOURTH, true);
	expect(planFull(form)).toEqual({ ...FULL, maxPages: 72 });
	const budget = { ...BUDGET, maxRequests: 2 };
	expect(plan.planFullPass(form, budget, false).maxPages).toBe(4);
});

it('That positions expire is remembered for a list without newest pages', () => {
	const form: FormState = { ...READ, fullPass: { positionsExpire: true } };
	const [short, sorted] = [createPages(4, 3, 2, 1), createPages(6, 5, 4, 3, 2, 1)];
	const passes = [short, sorted].map((pages) => advanceTo(form, FULL, pages, 'endOfList').fullPass);
	expect(passes).toEqual([{ positionsExpire: true }, {}]);
});

const NEWEST_FIRST: FormState = { ...READ, newestPages: { at: 'firstPage' } };
const NEWEST_LAST: FormState = { ...READ, newestPages: { at: 'lastPage', next: at(9) } };
it.each<[string, Reading | undefined, Reading | undefined]>([
	[
		'one page of a list without newest pages',
		planFull(READ),
		{ ...createReading('fullPass'), maxPages: 1 },
	],
	[
		'pages for which there was time',
		planFull(LATER, 31),
		{ ...createReading('fullPass', 4), maxPages: 31 },
	],
	[
		'the newest pages at the beginning',
		planNewest(LATER),
		{ ...createReading('newestPages'), maxPages: 72, stopsAtSeen: true },
	],
	[
		'the newest pages at the end',
		planNewest(NEWEST_LAST),
		{ ...createReading('newestPages', 9), maxPages: 72 },
	],
	['no newest pages if the full pass is there', planNewest(NEWEST_FIRST), undefined],
	[
		'the newest pages with the full pass',
		planFull(NEWEST_FIRST),
		{ ...createReading('fullPass'), maxPages: 72, stopsAtSeen: true },
	],
	[
		'the newest pages if the full pass is there and waits',
		planNewest(NEWEST_FIRST, true),
		{ ...createReading('newestPages'), maxPages: 72, stopsAtSeen: true },
	],
	[
		'all of a first pass',
		planFull({ baseline: { sinceMs: 0 } }),
		{ ...createReading('firstPass'), maxPages: 480 },
	],
	[
		'a few pages of a first pass that fails',
		planFull({ baseline: { sinceMs: 0 } }, 0, true),
		{ ...createReading('firstPass'), maxPages: 10 },
	],
	[
		'all of a first pass that starts again at page 1',
		planFull({ ...LATER, baseline: { sinceMs: 0 }, fullPass: { next: at(1) } }),
		{ ...createReading('firstPass', 1), maxPages: 480 },
	],
])('A poll reads %s', (_text, reading, expected) => {
	expect(reading).toEqual(expected);
});

it('Each full pass guesses the order anew, and keeps where the newest pages are, if pages have numbers', () => {
	const form: FormState = { ...READ, fullPass: { order: { descending: 9, ascending: 0 } } };
	const pages = createPages(1, 2, 3, 4, 5, 6);
	const after = advanceTo(form, FULL, pages, 'endOfList');
	expect(after.newestPages).toEqual({ at: 'lastPage', next: at(3) });
	const unnumbered = pages.map((page) => ({ ...page, url: 'https://x.example/?cursor=c' }));
	const other = advanceTo(form, FULL, unnumbered, 'endOfList');
	expect(other.newestPages).toBeUndefined();
	const newestPages = { at: 'lastPage', next: at(2) } as const;
	const again = advanceTo({ ...form, newestPages }, FULL, pages, 'endOfList');
	expect(again.newestPages).toBe(newestPages);
});
