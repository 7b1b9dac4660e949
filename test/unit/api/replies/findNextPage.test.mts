import { describe, expect, it } from 'vitest';
import type { ListedNoun } from '../../../../nodes/FormService/api/endpoints.ts';
import {
	findNextPage,
	type PageInList,
} from '../../../../nodes/FormService/api/replies/findNextPage.ts';

const BASE_URL = 'https://forms.example.com/api/v1';
const LIST = `${BASE_URL}/responses/AbC123`;

/** The first page of a list, with two records. */
const firstTwo: PageInList = {
	listUrl: LIST,
	baseUrl: BASE_URL,
	listedNoun: 'responses',
	url: LIST,
	pagesBefore: 0,
	recordsBefore: 0,
	recordCount: 2,
};
/** The second page of the list, with two more records. */
const nextTwo: PageInList = {
	...firstTwo,
	url: `${LIST}?page=2`,
	pagesBefore: 1,
	recordsBefore: 2,
};
/** The position of the page after the first two records. */
const second = (url: string) => ({
	kind: 'page',
	position: { url, pagesBefore: 1, recordsBefore: 2 },
});
const afterTwo = (around: object, listedNoun: ListedNoun = 'responses') =>
	findNextPage({}, [{ data: [{}, {}], ...around }], { ...firstTwo, listedNoun }).nextPage;

const threeIn = (name: string) => ({ [name]: 3 });
/** What would say that there is more, if it were about the list. */
const MORE = { total: 1440 };
const ABOUT = { href: '/responses/AbC123?page=1', meta: MORE };

const LINK = `${LIST}?page=2`;

describe('the next page', () => {
	it.each([
		[{ links: { next: LINK } }, LINK],
		[{ _links: { self: { href: '/r' }, next: { href: LINK } } }, LINK],
		[{ links: { next: { url: LINK } } }, LINK],
		[{ next: '?page=2' }, LINK],
		[{ next: 'http://10.0.0.7/responses/AbC123/?page=2' }, LINK],
		[{ success: true, nextPageUrl: LINK }, LINK],
		[{ pagination: { current_page: 1, last_page: 2 } }, LINK],
		[{ meta: { next_cursor: 'c/2' } }, `${LIST}?cursor=c%2F2`],
		[{ next_cursor: 3 }, `${LIST}?cursor=3`],
		[
			{
				links: [
					{ rel: 'self', href: '?page=1' },
					{ rel: 'next', href: LINK },
				],
			},
			LINK,
		],
		[{ _links: [{ rel: 'next', url: LINK }] }, LINK],
	])('is found in %j at %s', (around, url) => {
		expect(afterTwo(around)).toEqual(second(url));
	});

	it.each([
		{ meta: { current_page: 1, per_page: 2, total: 7 } },
		{ paging: { next: { after: 'c2' } } },
		{ cursor: 'c2' },
		// a link out of the list
		{ next: '/forms?page=2' },
		{ next: 2 },
		{ metadata: { page: 1, moreRecords: true } },
		{ nextPageToken: 'c2' },
		...['isLast', 'is_last_page', 'last', 'lastPage'].map((name) => ({ [name]: false })),
		{ meta: { truncated: true } },
		{ incomplete_results: 'true' },
		{ pageInfo: { hasNextPage: true, endCursor: 'c2' } },
		{ meta: { a: { b: { c: { d: { has_more: true } } } } } },
		...['pages', 'num_pages', 'totalPages', 'count', 'num_results', 'total_items'].map(threeIn),
		...['number_of_responses', 'totalSubmissions'].map(threeIn),
		{ pager: { page_count: '3' } },
		{ id: 'AbC123', name: 'Survey', total: 3 },
		{ id: 'AbC123', name: 'Survey', has_more: true },
		{ id: 'AbC123', name: 'Survey', next_page_uri: 'c2' },
		...['per_page', 'pageSize', 'limit', 'size'].map((name) => ({ [name]: 2 })),
	])('is unknown where there is more and no rule reads where: %j', (around) => {
		expect(afterTwo(around).kind).toBe('unknown');
	});

	it.each([
		{},
		{ total: 2, per_page: 1 },
		{ count: 2 },
		{ isLast: true, truncated: false },
		{ last: true, size: 2 },
		{ current_page: 1, last_page: 1, per_page: 2 },
		// the records that are missing on the last page are found by another pass
		{ current_page: 1, last_page: 1, total: 3 },
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
		[{ count: 2 }, nextTwo, undefined],
		[{ count: 2 }, firstTwo, 2],
		[{ total_forms: 7 }, firstTwo, undefined],
	])('comes with the number of records in %j', (around, progress, total) => {
		expect(findNextPage({}, [{ data: [{}, {}], ...around }], progress).total).toBe(total);
	});

	it('is none if more records are announced than before, since pages with cursors do not move', () => {
		const last = { ...nextTwo, firstTotal: 4 };
		expect(findNextPage({}, [{ data: [], total: 5 }], last).nextPage.kind).toBe('none');
	});

	it.each([
		[{ page: { number: 1, total: 3 } }, 'unknown'],
		[{ page: { number: 1, total: 1 } }, 'none'],
		[{ page: { number: 1, total: 10 } }, 'none'],
		[{ count: 3 }, 'none'],
	])('of ten records may be announced by a total that counts no records: %j', (around, kind) => {
		const page = { ...firstTwo, recordCount: 10 };
		expect(findNextPage({}, [{ data: [], ...around }], page).nextPage.kind).toBe(kind);
	});

	it('depends on the records and pages before', () => {
		const after = (more: object) =>
			findNextPage({}, [{ data: [], per_page: 2, ...more }], nextTwo).nextPage;
		expect([after({}).kind, after({ total: 4, last_page: 2 }).kind]).toEqual(['none', 'none']);
		expect(after({ total: 5 }).kind).toBe('unknown');
	});

	it('is unknown if an earlier page announced more pages, unless the page announces another number', () => {
		const page = { ...nextTwo, earlierPageCount: 3 };
		const after = (around: object) =>
			findNextPage({}, [{ data: [], ...around }], page).nextPage.kind;
		expect([after({}), after({ last_page: 2 })]).toEqual(['unknown', 'none']);
	});

	it('is where the object says that is nearest to the list', () => {
		const around = [{ next: '?page=9' }, { next: LINK, data: [] }];
		const { nextPage } = findNextPage({ link: '<?page=8>; rel=next' }, around, firstTwo);
		expect(nextPage).toEqual(second(LINK));
	});

	it.each<[string, object]>([
		['unknown', { 'x-total-count': '3' }],
		['unknown', { 'x-total-pages': '2' }],
		['unknown', { 'x-wp-total': '3' }],
		['unknown', { 'x-wp-totalpages': '2' }],
		['unknown', { 'content-range': 'items 0-1/3' }],
		['none', { 'content-range': 'items 0-1/2' }],
		['none', { 'content-range': 'items 0-1/*' }],
		['none', { 'content-range': 'bytes 0-99/1000' }],
		['unknown', { 'x-next-page': '2' }],
		['none', { 'x-total-count': '2', 'x-per-page': '2' }],
		['page', { link: '<https://a.example/responses/AbC123?page=2>; rel="next"' }],
		['page', { link: '</responses/AbC123?page=3,4>; title="more"; rel=Next' }],
		['page', { link: ['</r?page=1>; rel="prev"', '</responses/AbC123?page=3>; rel="next"'] }],
		['page', { link: '</responses/AbC123?page=2>; rel="last next"; type="x"' }],
		['none', { link: '</r?page=1>; rel="prev", </r?page=9>; rel="last"' }],
		['none', { link: '</old>; rel="next-archive", </older>; rel=next-archive' }],
		['none', { link: 7 }],
		['none', { 'x-next-release': '2027-01-01', 'x-more-info': 'https://example.com' }],
	])('is %s by the headers %j', (kind, headers) => {
		const { nextPage } = findNextPage(headers as never, [{ data: [{}, {}] }], firstTwo);
		expect(nextPage.kind).toBe(kind);
		if (nextPage.kind !== 'page') return;
		expect(nextPage.position.url).toMatch(/AbC123\?page=\d(,4)?$/);
	});
});
