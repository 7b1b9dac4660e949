import fc from 'fast-check';
import { chunk } from 'lodash';
import { describe, expect, it } from 'vitest';
import { findList } from '../../../../nodes/FormService/api/replies/findList.ts';
import type { IDataObject } from 'n8n-workflow';
import { nextPage } from '../../../../nodes/FormService/api/replies/nextPage.ts';

const BASE = 'https://forms.example.com/api/v1/responses/AbC123';

type Page = { records: Array<{ uuid: string }>; number: number; last: number; total: number };

const pageUrl = (number: number) => `${BASE}?page=${number}`;
const nextOf = ({ number, last }: Page) => (number < last ? number + 1 : null);
const linkOf = (page: Page) => {
	const next = nextOf(page);
	return next === null ? null : pageUrl(next);
};

/** How many records a page takes. */
const SIZE = 4;

/** Every way to name the next page that the rules cover; the page asked for stands in the URL. */
const pagings: Record<string, (page: Page) => unknown> = {
	'links.next': (page) => ({ data: page.records, links: { next: linkOf(page) } }),
	'links.next.href': (page) => ({
		data: page.records,
		links: { next: nextOf(page) === null ? null : { href: linkOf(page) } },
	}),
	'a relative link': (page) => ({
		data: page.records,
		links: { next: linkOf(page)?.replace('https://forms.example.com', '') ?? null },
	}),
	'a link that is a query': (page) => ({
		data: page.records,
		next: nextOf(page) === null ? null : `?page=${nextOf(page)}`,
	}),
	'next_page_url beside the list': (page) => ({
		success: true,
		data: { data: page.records, next_page_url: linkOf(page) },
	}),
	'a list of links': (page) => ({
		data: page.records,
		meta: {
			links: [
				{ label: 'Previous', url: pageUrl(1) },
				{ label: 'Next &raquo;', url: linkOf(page) },
			],
		},
	}),
	'current and last page in meta': (page) => ({
		data: page.records,
		meta: { current_page: page.number, last_page: page.last },
	}),
	'page and total_pages as text': (page) => ({
		success: true,
		data: page.records,
		pagination: { page: String(page.number), total_pages: String(page.last) },
	}),
	'a next page as a link': (page) => ({ data: page.records, next_page: linkOf(page) }),
	'a cursor in meta': (page) => ({
		data: page.records,
		meta: { next_cursor: nextOf(page) === null ? null : `c${nextOf(page)}` },
	}),
	'a cursor that is a number, and 0 at the end': (page) => ({
		data: page.records,
		next_cursor: nextOf(page) ?? 0,
	}),
	'_links.next.href': (page) => ({
		data: page.records,
		_links: { self: { href: pageUrl(page.number) }, next: { href: linkOf(page) } },
	}),
	'a cursor beside the list': (page) => ({
		success: true,
		data: { items: page.records, next_cursor: nextOf(page) === null ? '' : `c${nextOf(page)}` },
	}),
};

function numberIn(url: string): number {
	const query = new URL(url).searchParams;
	return Number(query.get('page') ?? query.get('cursor')?.replace('c', '') ?? 1);
}

/** Follows the pages from the first to where they say that there is no more. */
function follow(pages: string[][], paging: (page: Page) => unknown): string[] {
	const found: string[] = [];
	for (let url = BASE, asked = 0; ; asked++) {
		expect(asked).toBeLessThan(pages.length);
		const number = numberIn(url);
		const records = pages[number - 1].map((uuid) => ({ uuid }));
		const total = pages.flat().length;
		const listing = findList(paging({ records, number, last: pages.length, total }));
		found.push(...(listing?.records ?? []).map(({ uuid }) => String(uuid)));
		const progress = { url, pages: asked + 1, records: found.length, shown: records.length };
		const next = nextPage({}, listing?.around ?? [], progress);
		if (next.kind !== 'at') {
			expect(next.kind).toBe('none');
			return found;
		}
		url = next.url;
	}
}

describe('finding the next page', () => {
	it.each(Object.entries(pagings))('follows %s to the end', (_name, paging) => {
		fc.assert(
			fc.property(fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 22 }), (uuids) => {
				const pages = chunk(uuids, SIZE);
				expect(follow(pages, paging)).toEqual(pages.flat());
			}),
			{ numRuns: 100 },
		);
	});

	it('keeps the query of the listing', () => {
		const around = [{ data: [], meta: { current_page: 1, last_page: 2 } }];
		const progress = { url: `${BASE}?incomplete=false`, pages: 1, records: 1, shown: 1 };
		expect(nextPage({}, around, progress)).toEqual({
			kind: 'at',
			url: `${BASE}?incomplete=false&page=2`,
		});
	});

	const firstOfTwo = { url: BASE, pages: 1, records: 2, shown: 2 };
	const twoOf = (around: object) => nextPage({}, [{ data: [{}, {}], ...around }], firstOfTwo).kind;

	it.each([
		{ has_more: true },
		{ page: 1, has_more: true },
		{ page: 1, has_more: 1 },
		{ pagination: { current_page: 1, has_next: true } },
		{ meta: { next_page: 2 } },
		{ meta: { current_page: 1, per_page: 2, total: 7 } },
		{ meta: { offset: 0, limit: 2, total: 7 } },
		{ meta: { page: 1, per_page: 2 } },
		{ meta: { cursor: { next: 'c2' } } },
		{ paging: { next: { after: 'c2' } } },
		{ cursor: 'c2' },
		{ offset: 'itr2/rec' },
		{ next_offset: 2 },
		{ cursor: 3 },
		{ last: false, continue: { from: 1 } },
		{ nextPageToken: 'c2' },
		{ has_more: 'true' },
		{ page_info: { has_next_page: true, end_cursor: 'c2' } },
		{ pageInfo: { hasNextPage: true, endCursor: 'c2' } },
		{ next_token: 'c2' },
		{ meta: { next_key: { uuid: 'c2' } } },
		{ meta: { a: { b: { c: { d: { has_more: true } } } } } },
		{ total: 7 },
		{ total: 7, per_page: 2 },
		{ total: 7, per_page: 50 },
		{ meta: { totals: {}, count: 3 } },
		{ pages: 3 },
		{ last: false },
		{ limit: 2 },
	])('says so when there is more and no rule reads where: %j', (around) => {
		expect(twoOf(around)).toBe('unknown');
	});

	it.each([
		{},
		{ has_more: 0, next_cursor: null, nextPageToken: '' },
		{ total: 2, per_page: 50 },
		{ total: 2, per_page: 1 },
		{ total: 2, total_pages: 3 },
		{ total_pages: 1 },
		{ count: 2 },
		{ current_page: 1, last_page: 1, per_page: 2 },
		{ page: 0, last_page: 0 },
		{ last: 1, offset: 0, cursor: { id: 7 } },
		{ is_last: true, cursor: 'c1' },
		// a form has pages too, and a limit of responses
		{ id: 'AbC123', pages: 3, limit: 2 },
		{ meta: { rate_limit: { total: 1440, limit: 2 } } },
		{ form: { id: 'AbC123', total: 7, has_more: true } },
		{ meta: { has_more: false, after_cursor: 'c2', end_cursor: 'c2', cursor: 'c2' } },
		{ limit: 2, next: null },
		{ links: { self: { href: '/r', meta: { total: 7 } }, last: '/r?page=1' } },
	])('finds none where nothing says that there is one: %j', (around) => {
		expect(twoOf(around)).toBe('none');
	});

	it('counts what the pages before have brought', () => {
		const last = { url: `${BASE}?page=2`, pages: 2, records: 3, shown: 1 };
		expect(nextPage({}, [{ data: [{}], total: 3, per_page: 2 }], last).kind).toBe('none');
		expect(nextPage({}, [{ data: [{}], total: 4, per_page: 2 }], last).kind).toBe('unknown');
	});

	it('never throws, and never takes a list for whole that counts more, whatever is beside it', () => {
		const beside = fc.dictionary(
			fc.constantFrom('next', 'meta', 'links', 'cursor', 'page', 'offset', 'limit', 'has_more'),
			fc.jsonValue({ maxDepth: 3 }),
		);
		fc.assert(
			fc.property(beside, fc.integer({ min: 3 }), (around, total) => {
				const body = [{ ...around, data: [], total }] as IDataObject[];
				expect(nextPage({}, body, firstOfTwo).kind).not.toBe('none');
			}),
			{ numRuns: 2_000 },
		);
	});
});
