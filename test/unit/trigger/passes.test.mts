import { expect, it } from 'vitest';
import { ServiceError } from '../../../nodes/FormService/api/errors.ts';
import {
	createFailure,
	type FailureReason,
} from '../../../nodes/FormService/api/requestFailure.ts';
import * as positions from '../../../nodes/FormService/trigger/passes.ts';
import type { FetchedPage, ListSlice } from '../../../nodes/FormService/trigger/fetchSlice.ts';
import type { FormState } from '../../../nodes/FormService/trigger/triggerState.ts';

const node = { id: 'n', name: 'N', type: 't', typeVersion: 1, position: [0, 0], parameters: {} };
const at = (page: number) => {
	const pagesBefore = page - 1;
	return { url: `https://x.example/?page=${page}`, pagesBefore, recordsBefore: 2 * pagesBefore };
};

/** The number of a record, or the day of one without a number. */
type Place = number | string;

/** A page of a list of so many pages, with these records. */
const createPage = (page: number, pages: number, places: Place[]): FetchedPage => ({
	...at(page),
	records: places.map((place) => {
		const order =
			typeof place === 'string' ? { created_at: `2026-11-${place}` } : { number: place };
		return { uuid: `${place}`, ...order };
	}),
	isNumbered: true,
	isLast: page === pages,
	next: page === pages ? undefined : at(page + 1),
	readAtMs: 0,
});
const createPart = (pages: FetchedPage[], more: Partial<ListSlice> = {}): ListSlice => {
	const isEnd = pages.at(-1)?.isLast === true;
	return { pages, requests: pages.length, isEnd, isEnough: false, ...more };
};
/** All pages of a list with these records, two on a page. */
const readAll = (...places: Place[]) => {
	const count = Math.ceil(places.length / 2);
	const pages = Array.from({ length: count }, (_, index) =>
		createPage(index + 1, count, places.slice(2 * index, 2 * index + 2)),
	);
	return createPart(pages);
};
const READ: FormState = { known: '', pace: { atMs: 0, requests: 1 }, all: {} };
const FOURTH: FormState = { ...READ, all: { next: at(4) } };
const failed = (reason: FailureReason) =>
	new ServiceError(node as never, createFailure(reason), { message: 'failed', description: '' });

it.each<[string, Place[], 'first' | 'last' | undefined]>([
	['falls', [8, 7, 6, 5, 4, 3, 2, 1], 'first'],
	['rises', [1, 2, 3, 4, 5, 6, 7, 8], 'last'],
	['is that of times', ['16', '15', '14', '13', '12', '11'], 'first'],
	['falls, but on one page', [12, 11, 9, 8, 7, 6, 4, 5, 3, 2, 1, 0], 'first'],
	['is mixed', [3, 8, 1, 6, 2, 7, 5, 4], undefined],
	['is that of two pages', [4, 3, 2, 1], undefined],
	['is the same for all', [1, 1, 1, 1, 1, 1], undefined],
])('The newest responses are found at an end of a list whose order %s', (_text, places, end) => {
	const { newest, all } = positions.advancePass(READ, 'all', readAll(...places), undefined);
	expect(newest?.end).toBe(end);
	expect(all).toEqual({});
});

it('A long first reading finds newest responses at the beginning before it has ended', () => {
	const state: FormState = { baseline: { sinceMs: 0 } };
	const pages = [createPage(1, 9, [18, 17]), createPage(2, 9, [16, 15])];
	const moved = positions.advancePass(state, 'all', createPart(pages), undefined);
	expect([moved.newest?.end, moved.all?.next, moved.baseline]).toEqual([
		'first',
		at(3),
		state.baseline,
	]);
});

it('Every unknown response is new once all pages were read', () => {
	const state: FormState = { baseline: { sinceMs: 0 } };
	expect(positions.advancePass(state, 'all', readAll(1, 2), undefined).baseline).toBeUndefined();
	const again = positions.advancePass(state, 'all', readAll(1, 2), at(1));
	expect([again.baseline, again.all?.next]).toEqual([state.baseline, at(1)]);
});

const error = failed('serverError');
it.each<
	[string, FormState, FetchedPage[], Partial<ListSlice>, number | undefined, number | undefined]
>([
	['the next page', READ, [createPage(1, 9, [1])], {}, undefined, 2],
	['the page without room', READ, [createPage(1, 9, [1]), createPage(2, 9, [2])], {}, 1, 1],
	['the last good page', READ, [createPage(1, 9, [1])], { error }, undefined, 1],
	[
		'page 1 if a page fails again',
		FOURTH,
		[createPage(4, 9, [1])],
		{ error },
		undefined,
		undefined,
	],
])('The reading of all pages goes on at %s', (_text, state, pages, more, again, next) => {
	const position = again === undefined ? undefined : at(again);
	const moved = positions.advancePass(state, 'all', createPart(pages, more), position);
	expect(moved.all?.next).toEqual(next === undefined ? undefined : at(next));
});

it('A list that has become shorter is read whole soon', () => {
	const state: FormState = { ...READ, newest: { end: 'last', next: at(9) } };
	const part = createPart([createPage(9, 9, [])]);
	const moved = positions.advancePass(state, 'newest', part, undefined);
	expect([moved.newest, moved.all]).toEqual([undefined, {}]);
});

it.each<[string, unknown, number, boolean]>([
	['was not asked for', failed('canceled'), 3, false],
	['fails', error, 1, false],
	['fails for the third time', error, 3, true],
	['cannot be reached any more', failed('pageExpired'), 1, true],
])('A reading begins at page 1 or not if its page %s', (_text, cause, failures, isGivenUp) => {
	const after = positions.restartPass(FOURTH, 'all', cause, failures);
	expect(after.all?.next).toEqual(isGivenUp ? undefined : at(4));
});

const FIRST: FormState = { ...READ, newest: { end: 'first' } };
it.each<[string, FormState, positions.PassKind, number, number, boolean]>([
	['one page of all', READ, 'all', 0, 1, false],
	['pages that there was time for', { ...FOURTH, newest: { end: 'first' } }, 'all', 62, 31, false],
	['the newest at the beginning', FIRST, 'newest', 0, 72, true],
	['the newest with the first page of all', FIRST, 'all', 0, 72, true],
	['the newest at the end', { ...READ, newest: { end: 'last' } }, 'newest', 0, 72, false],
	['all of a first reading', { baseline: { sinceMs: 0 } }, 'all', 0, 480, false],
])('A poll reads %s', (_text, state, scope, idleMinutes, maxRequests, isUntilKnown) => {
	const nowMs = (2 + idleMinutes) * 60_000;
	const plan = positions.planSlice(state, scope, 120_000, 120_000, nowMs);
	expect(plan).toEqual({ from: state[scope]?.next, maxRequests, isUntilKnown });
});

it('Each round guesses the order anew, and keeps where the newest are, if pages have numbers', () => {
	const state: FormState = { ...READ, all: { order: { falls: 9, rises: 0 } } };
	const read = readAll(1, 2, 3, 4, 5, 6);
	const moved = positions.advancePass(state, 'all', read, undefined);
	expect(moved.newest).toEqual({ end: 'last', next: at(3) });
	const unnumbered = read.pages.map((page) => ({ ...page, isNumbered: false }));
	const other = positions.advancePass(state, 'all', createPart(unnumbered), undefined);
	expect(other.newest).toBeUndefined();
	const newest = { end: 'last', next: at(2) } as const;
	const again = positions.advancePass({ ...state, newest }, 'all', read, undefined);
	expect(again.newest).toBe(newest);
});
