import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findListing } from '../../../../nodes/FormService/api/replies/listing.ts';
import { nextPage } from '../../../../nodes/FormService/api/replies/pages.ts';

const BASE = 'https://forms.example.com/api/v1/responses/AbC123';

type Page = { records: Array<{ uuid: string }>; number: number; last: number };

const pageUrl = (number: number) => `${BASE}?page=${number}`;
const nextOf = ({ number, last }: Page) => (number < last ? number + 1 : null);
const linkOf = (page: Page) => {
	const next = nextOf(page);
	return next === null ? null : pageUrl(next);
};

/** How many records a page takes, as services name it; the pages here have fewer. */
const SIZE = 4;
const totalOf = ({ last }: Page) => (last - 1) * SIZE + 1;

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
	'a next page number': (page) => ({ data: page.records, meta: { next_page: nextOf(page) } }),
	'page and has_more': (page) => ({
		data: page.records,
		page: page.number,
		has_more: page.number < page.last,
	}),
	'a next page as a link': (page) => ({ data: page.records, next_page: linkOf(page) }),
	'a page that has a next one': (page) => ({
		data: page.records,
		pagination: { current_page: page.number, has_next: page.number < page.last },
	}),
	'the number of all records': (page) => ({
		data: page.records,
		meta: { current_page: page.number, per_page: SIZE, total: totalOf(page) },
	}),
	'the number of records before': (page) => ({
		data: page.records,
		meta: { offset: (page.number - 1) * SIZE, limit: SIZE, total: totalOf(page) },
	}),
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
	'page and has_more as a number': (page) => ({
		data: page.records,
		page: page.number,
		has_more: page.number < page.last ? 1 : 0,
	}),
	'a cursor beside the list': (page) => ({
		success: true,
		data: { items: page.records, next_cursor: nextOf(page) === null ? '' : `c${nextOf(page)}` },
	}),
};

function numberIn(url: string): number {
	const query = new URL(url).searchParams;
	const offset = query.get('offset');
	if (offset !== null) return Number(offset) / SIZE + 1;
	return Number(query.get('page') ?? query.get('cursor')?.replace('c', '') ?? 1);
}

/** Follows the pages from the first to where they say that there is no more. */
function follow(pages: string[][], paging: (page: Page) => unknown): string[] {
	const found: string[] = [];
	for (let url = BASE, asked = 0; ; asked++) {
		expect(asked).toBeLessThan(pages.length);
		const number = numberIn(url);
		const records = pages[number - 1].map((uuid) => ({ uuid }));
		const listing = findListing(paging({ records, number, last: pages.length }));
		found.push(...(listing?.records ?? []).map(({ uuid }) => String(uuid)));
		const shown = asked === 0 ? records.length : undefined;
		const next = nextPage(listing?.around ?? [], url, shown);
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
			fc.property(
				fc.array(fc.array(fc.uuid(), { minLength: 1, maxLength: 4 }), {
					minLength: 1,
					maxLength: 6,
				}),
				(pages) => {
					expect(follow(pages, paging)).toEqual(pages.flat());
				},
			),
			{ numRuns: 100 },
		);
	});

	it('keeps the query of the listing', () => {
		const url = `${BASE}?incomplete=false`;
		expect(nextPage([{ data: [], meta: { current_page: 1, last_page: 2 } }], url)).toEqual({
			kind: 'at',
			url: `${BASE}?incomplete=false&page=2`,
		});
	});

	const twoOf = (around: object) => nextPage([{ data: [{}, {}], ...around }], BASE, 2).kind;

	it.each([
		{ has_more: true },
		{ has_more: 'true' },
		{ page_info: { has_next_page: true, end_cursor: 'c2' } },
		{ pageInfo: { hasNextPage: true, endCursor: 'c2' } },
		{ nextPageToken: 'c2' },
		{ next_token: 'c2' },
		{ meta: { next_key: { uuid: 'c2' } } },
		{ total: 7, per_page: 2 },
		{ totalPages: 4, number: 0 },
	])('says so when there is more and no rule reads where: %j', (around) => {
		expect(twoOf(around)).toBe('unknown');
	});

	it.each([
		{},
		{ has_more: 0, next_cursor: null, nextPageToken: '' },
		{ total: 2, per_page: 50 },
		{ total: 2, per_page: 1 },
		{ total: 7, per_page: 50 },
		{ pages: 3 },
		{ total_pages: 1 },
		{ offset: 5, limit: 2, total: 7 },
	])('finds none where nothing says that there is one: %j', (around) => {
		expect(twoOf(around)).toBe('none');
	});

	it('does not take the counts of a later page for more pages', () => {
		expect(nextPage([{ data: [{}], total: 3, per_page: 2 }], `${BASE}?page=2`).kind).toBe('none');
	});
});
