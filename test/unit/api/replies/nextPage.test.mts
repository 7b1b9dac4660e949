import { describe, expect, it } from 'vitest';
import {
	findNextInLink,
	findNextPage,
} from '../../../../nodes/FormService/api/replies/nextPage.ts';

const BASE = 'https://forms.example.com/api/v1/responses/AbC123';

/** The second of two records each on pages of a list that was just begun. */
const firstOfTwo = { url: `${BASE}?incomplete=false`, pages: 1, inAll: 2, shown: 2 };
const twoOf = (around: object) => findNextPage({}, [{ data: [{}, {}], ...around }], firstOfTwo);

const LINK = `${BASE}?page=2`;
const HERE = `${BASE}?incomplete=false`;

describe('finding the next page', () => {
	it.each([
		[{ links: { next: LINK } }, LINK],
		[{ _links: { self: { href: HERE }, next: { href: LINK } } }, LINK],
		[{ links: { next: '/api/v1/responses/AbC123?page=2' } }, LINK],
		[{ next: '?page=2' }, LINK],
		[{ success: true, next_page_url: LINK }, LINK],
		[{ meta: { links: [{ label: 'Next &raquo;', url: LINK }] } }, LINK],
		[{ meta: { current_page: 1, last_page: 2 } }, `${HERE}&page=2`],
		[{ meta: { next_cursor: 'c/2' } }, `${HERE}&cursor=c%2F2`],
		[{ next_cursor: 3 }, `${HERE}&cursor=3`],
	])('finds in %j %s', (around, url) => {
		expect(twoOf(around)).toEqual({ kind: 'at', url });
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
		{ meta: { next_key: { uuid: 'c2' } } },
		{ meta: { a: { b: { c: { d: { has_more: true } } } } } },
		{ total: 2, total_pages: 3 },
		{ meta: { page_count: '3' } },
		{ numberOfSubmissions: 3 },
		{ id: 'AbC123', name: 'Survey', has_more: true },
		{ limit: 2 },
	])('says so when there is more and no rule reads where: %j', (around) => {
		expect(twoOf(around).kind).toBe('unknown');
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
		{ meta: { links: [{ label: 'Next &raquo;', url: null }] } },
		{ links: { self: { href: '/r', meta: { total: 7 } }, last: '/r?page=1' } },
	])('finds none where nothing says that there is one: %j', (around) => {
		expect(twoOf(around).kind).toBe('none');
	});

	it.each([
		['unknown', { 'x-total-count': '3' }],
		['unknown', { 'content-range': '0-1/6' }],
		['unknown', { 'x-total-pages': '2' }],
		['unknown', { 'x-next-page': '2' }],
		['none', { 'x-total-count': '2', 'x-per-page': '2' }],
	])('is %s by the headers %j', (kind, headers) => {
		expect(findNextPage(headers, [{ data: [{}, {}] }], firstOfTwo).kind).toBe(kind);
	});

	it('is not confused by an object that has a "toString" of its own', () => {
		const odd = { toString: false };
		const links = [{ rel: odd, label: odd }];
		expect(findNextPage({}, [{ data: [{}], next: odd, links }], firstOfTwo).kind).toBe('none');
	});

	it('counts what the pages before have brought', () => {
		const last = { url: `${BASE}?page=2`, pages: 2, inAll: 3, shown: 1 };
		expect(findNextPage({}, [{ data: [{}], total: 3, per_page: 2 }], last).kind).toBe('none');
		expect(findNextPage({}, [{ data: [{}], total: 4, per_page: 2 }], last).kind).toBe('unknown');
	});
});

it.each<[unknown, string | undefined]>([
	['<https://a.example/r?page=2>; rel="next"', 'https://a.example/r?page=2'],
	['</r?page=3,4>; title="more"; rel=next', '/r?page=3,4'],
	['</r?page=2>; REL = "last NEXT"; title="a, b; rel=prev"', '/r?page=2'],
	[['</r?page=1>; rel="prev"', '</r?page=3>; rel="next"'], '/r?page=3'],
	// RFC 8288, section 3.5
	['</2>;\r\n rel="previous"; title*=UTF-8\'de\'x,\r\n </4>;\r\n rel="next"', '/4'],
	['</terms>; rel="copyright"; anchor="#foo"', undefined],
	// of several rel the first counts, and an anchor makes it a link of something else
	['</r>; rel="prev"; rel="next"', undefined],
	['</r>; rel="next"; anchor="/other"', undefined],
	['</r>; title="; rel=next"', undefined],
	['</a>, rel="next"', undefined],
	[7, undefined],
])('the Link header %j names as the next page %s', (header, next) => {
	expect(findNextInLink(header)).toBe(next);
});
