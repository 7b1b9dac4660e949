import { describe, expect, it } from 'vitest';
import type { ListedNoun } from '../../../../nodes/FormService/api/endpoints.ts';
import { findNextPage } from '../../../../nodes/FormService/api/replies/findNextPage.ts';

/** The first two records of a list. */
const firstTwo = { pages: 1, records: 2, pageRecords: 2, listedNoun: 'responses' } as const;
const afterTwo = (around: object, listedNoun: ListedNoun = 'responses') =>
	findNextPage({}, [{ data: [{}, {}], ...around }], { ...firstTwo, listedNoun }).nextPage;

const threeIn = (name: string) => ({ [name]: 3 });
/** What would say that there is more, if it were about the list. */
const MORE = { total: 1440 };
const ABOUT = { href: '/r?page=1', meta: MORE };

const LINK = 'https://forms.example.com/api/v1/responses/AbC123?page=2';

describe('the next page', () => {
	it.each([
		[{ links: { next: LINK } }, LINK],
		[{ _links: { self: { href: '/r' }, next: { href: LINK } } }, LINK],
		[{ links: { next: { url: LINK } } }, LINK],
		[{ next: '?page=2' }, '?page=2'],
		[{ success: true, nextPageUrl: LINK }, LINK],
		[{ pagination: { current_page: 1, last_page: 2 } }, '?page=2'],
		[{ meta: { next_cursor: 'c/2' } }, '?cursor=c%2F2'],
		[{ next_cursor: 3 }, '?cursor=3'],
	])('is found in %j at %s', (around, link) => {
		expect(afterTwo(around)).toEqual({ kind: 'link', link });
	});

	it.each([
		{ meta: { current_page: 1, per_page: 2, total: 7 } },
		{ paging: { next: { after: 'c2' } } },
		{ cursor: 'c2' },
		{ next: 2 },
		{ metadata: { page: 1, moreRecords: true } },
		{ nextPageToken: 'c2' },
		{ pageInfo: { hasNextPage: true, endCursor: 'c2' } },
		{ meta: { a: { b: { c: { d: { has_more: true } } } } } },
		...['pages', 'num_pages', 'totalPages', 'count', 'num_results', 'total_items'].map(threeIn),
		...['number_of_responses', 'totalSubmissions'].map(threeIn),
		{ pager: { page_count: '3' } },
		{ id: 'AbC123', name: 'Survey', total: 3 },
		{ id: 'AbC123', name: 'Survey', has_more: true },
		...['per_page', 'pageSize', 'limit', 'size'].map((name) => ({ [name]: 2 })),
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
		{ meta: { rate: MORE, rate_limit: { limit: 2 }, quota: MORE, usage: MORE, limits: MORE } },
		{ form: { id: 'AbC123', total: 7, has_more: true } },
		{ meta: { has_more: false, after_cursor: 'c2', end_cursor: 'c2', cursor: 'c2' } },
		{ limit: 2, next: null },
		{ next_cursor: '', next: 'null' },
		{ links: { self: ABOUT, first: ABOUT, prev_page: ABOUT, last: ABOUT, next: [] } },
		{ next: { toString: false } },
	])('is none where nothing says that there is one: %j', (around) => {
		expect(afterTwo(around).kind).toBe('none');
	});

	it.each<[ListedNoun, string, boolean]>([
		['forms', 'total_responses', false],
		['forms', 'number_of_fields', false],
		['forms', 'total_forms', true],
		['forms', 'total', true],
		['responses', 'total_forms', false],
		['responses', 'total_responses', true],
		['fields', 'count_fields', true],
	])('of %s is known by the attribute %s: %s', (noun, name, isKnown) => {
		expect(afterTwo({ meta: { [name]: 523 } }, noun).kind).toBe(isKnown ? 'unknown' : 'none');
	});

	it.each([
		[{ total: 7 }, firstTwo, 7],
		[{ meta: { total: '7' } }, firstTwo, 7],
		// the number of records on the page, and on the whole list
		[{ count: 2 }, { ...firstTwo, pages: 2, records: 4 }, undefined],
		[{ count: 2 }, firstTwo, 2],
		[{ total_forms: 7 }, firstTwo, undefined],
	])('comes with the number of records in %j', (around, progress, total) => {
		expect(findNextPage({}, [{ data: [{}, {}], ...around }], progress).total).toBe(total);
	});

	it('is none if more records are announced than before, since pages with cursors do not move', () => {
		const last = { ...firstTwo, pages: 2, records: 4, firstTotal: 4 };
		expect(findNextPage({}, [{ data: [], total: 5 }], last).nextPage.kind).toBe('none');
	});

	it('depends on the records and pages before', () => {
		const last = { ...firstTwo, pages: 2, records: 4 };
		const after = (more: object) =>
			findNextPage({}, [{ data: [], per_page: 2, ...more }], last).nextPage;
		expect([after({}).kind, after({ total: 4, last_page: 2 }).kind]).toEqual(['none', 'none']);
		expect(after({ total: 5 }).kind).toBe('unknown');
	});

	it('is where the object says that is nearest to the list', () => {
		const around = [{ next: '?page=9' }, { next: LINK, data: [] }];
		const { nextPage } = findNextPage({ link: '<?page=8>; rel=next' }, around, firstTwo);
		expect(nextPage).toMatchObject({ link: LINK });
	});

	it.each<[string, object]>([
		['unknown', { 'x-total-count': '3' }],
		['unknown', { 'x-total-pages': '2' }],
		['unknown', { 'x-next-page': '2' }],
		['none', { 'x-total-count': '2', 'x-per-page': '2' }],
		['link', { link: '<https://a.example/r?page=2>; rel="next"' }],
		['link', { link: '</r?page=3,4>; title="more"; rel=Next' }],
		['link', { link: ['</r?page=1>; rel="prev"', '</r?page=3>; rel="next"'] }],
		['link', { link: '</r?page=2>; rel="last next"; type="x"' }],
		['none', { link: '</r?page=1>; rel="prev", </r?page=9>; rel="last"' }],
		['none', { link: '</old>; rel="next-archive", </older>; rel=next-archive' }],
		['none', { link: 7 }],
		['none', { 'x-next-release': '2027-01-01', 'x-more-info': 'https://example.com' }],
	])('is %s by the headers %j', (kind, headers) => {
		const { nextPage } = findNextPage(headers as never, [{ data: [{}, {}] }], firstTwo);
		const { kind: found, ...page } = nextPage;
		expect(found).toBe(kind);
		if ('link' in page) expect(page.link).toMatch(/^[^<>]+page=\d[,4]*$/);
	});
});
