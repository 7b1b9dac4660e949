import { describe, expect, it } from 'vitest';
import { findNextPage } from '../../../../nodes/FormService/api/replies/nextPage.ts';

/** The first two records of a list. */
const firstTwo = { pages: 1, inAll: 2, shown: 2 };
const afterTwo = (around: object) => findNextPage({}, [{ data: [{}, {}], ...around }], firstTwo);

const LINK = 'https://forms.example.com/api/v1/responses/AbC123?page=2';

describe('the next page', () => {
	it.each([
		[{ links: { next: LINK } }, LINK],
		[{ _links: { self: { href: '/r' }, next: { href: LINK } } }, LINK],
		[{ next: '?page=2' }, '?page=2'],
		[{ success: true, nextPageUrl: LINK }, LINK],
		[{ meta: { current_page: 1, last_page: 2 } }, '?page=2'],
		[{ meta: { next_cursor: 'c/2' } }, '?cursor=c%2F2'],
		[{ next_cursor: 3 }, '?cursor=3'],
	])('is found in %j at %s', (around, link) => {
		expect(afterTwo(around)).toEqual({ kind: 'at', link });
	});

	it.each([
		{ meta: { current_page: 1, per_page: 2, total: 7 } },
		{ meta: { page: 1, per_page: 2 } },
		{ paging: { next: { after: 'c2' } } },
		{ cursor: 'c2' },
		{ next: 2 },
		{ meta: { page: 1, moreRecords: true } },
		{ nextPageToken: 'c2' },
		{ pageInfo: { hasNextPage: true, endCursor: 'c2' } },
		{ meta: { a: { b: { c: { d: { has_more: true } } } } } },
		{ total: 2, total_pages: 3 },
		{ meta: { page_count: '3' } },
		{ number_of_responses: 3 },
		{ id: 'AbC123', name: 'Survey', has_more: true },
		{ limit: 2 },
	])('is unknown where there is more and no rule reads where: %j', (around) => {
		expect(afterTwo(around).kind).toBe('unknown');
	});

	it.each([
		{},
		{ total: 2, per_page: 1 },
		{ count: 2 },
		{ current_page: 1, last_page: 1, per_page: 2 },
		{ page: 0, last_page: 0 },
		{ cursor: 'c1', has_more: false },
		// PHP's empty objects
		{ next: [], meta: { next_page: {} } },
		// a form has pages too, a limit of responses, and texts on its buttons
		{ id: 'AbC123', pages: 3, limit: 2, next_button: 'Go on', responses_count: 7 },
		{ meta: { rate_limit: { total: 1440, limit: 2 } } },
		{ form: { id: 'AbC123', total: 7, has_more: true } },
		{ meta: { has_more: false, after_cursor: 'c2', end_cursor: 'c2', cursor: 'c2' } },
		{ limit: 2, next: null },
		{ next_cursor: '' },
		{ links: { self: { href: '/r', meta: { total: 7 } }, last: '/r?page=1' } },
		{ next: { toString: false } },
	])('is none where nothing says that there is one: %j', (around) => {
		expect(afterTwo(around).kind).toBe('none');
	});

	it('is unknown by the number of records or pages before', () => {
		const last = { pages: 2, inAll: 3, shown: 1 };
		const after = (total: number) => findNextPage({}, [{ data: [{}], total, per_page: 2 }], last);
		expect([after(3).kind, after(4).kind]).toEqual(['none', 'unknown']);
	});

	it.each<[string, object]>([
		['unknown', { 'x-total-count': '3' }],
		['unknown', { 'x-total-pages': '2' }],
		['unknown', { 'x-next-page': '2' }],
		['none', { 'x-total-count': '2', 'x-per-page': '2' }],
		['at', { link: '<https://a.example/r?page=2>; rel="next"' }],
		['at', { link: '</r?page=3,4>; title="more"; rel=next' }],
		['at', { link: ['</r?page=1>; rel="prev"', '</r?page=3>; rel="next"'] }],
		['none', { link: '</r?page=1>; rel="prev", </r?page=9>; rel="last"' }],
		['none', { link: 7 }],
	])('is %s by the headers %j', (kind, headers) => {
		const { kind: found, ...page } = findNextPage(headers as never, [{ data: [{}, {}] }], firstTwo);
		expect(found).toBe(kind);
		if ('link' in page) expect(page.link).toMatch(/^[^<>]+page=\d[,4]*$/);
	});
});
