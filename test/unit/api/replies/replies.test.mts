import { describe, expect, it } from 'vitest';
import { unwrapEnvelope } from '../../../../nodes/FormService/api/envelope.ts';
import { findNextPage } from '../../../../nodes/FormService/api/replies/findNextPage.ts';
import { isWholeList } from '../../../../nodes/FormService/api/replies/listReader.ts';

const LIST = 'https://forms.example.com/api/v1/responses/AbC123';
const LINK = `${LIST}?page=2`;
const find = (body: unknown, headers = {}, url = LIST) =>
	findNextPage(headers, unwrapEnvelope(body), url);

describe('The next page', () => {
	it.each<[object, object?]>([
		[{ next_page_url: LINK }],
		[{ data: { data: [], next_page_url: LINK } }],
		[{ links: { next: LINK }, has_more: true }],
		[{ data: { links: { next: LINK } } }],
		[{ meta: { current_page: 1, last_page: 2 } }],
		[{ data: { data: [], current_page: 1, last_page: 2 } }],
		[{}, { link: `<${LIST}>; rel="prev", <${LINK}>; rel="next"` }],
		[{}, { link: `<${LINK}>; title="a, b; c"; rel = "last next"` }],
		[{}, { link: `<${LINK}>; rel='next'` }],
	])('is found in %j with the headers %j', (body, headers) => {
		expect(find({ data: [], ...body }, headers)).toMatchObject({ nextUrl: LINK });
	});

	it.each<[string, object]>([
		['"next"', { next: LINK }],
		['"meta.next_cursor"', { meta: { next_cursor: 'c2' } }],
		['"cursor"', { cursor: 'c2' }],
		['"hasMore"', { hasMore: true }],
		['"links.next"', { links: { next: { href: LINK } } }],
		['"links.next"', { links: { next: 'https://elsewhere.example.com/api/v1/responses/AbC123' } }],
		['"last_page"', { last_page: 4 }],
		['"pagination.pages"', { pagination: { page: 1, pages: 4 } }],
		[
			'"meta.pagination.total_pages"',
			{ meta: { pagination: { total_pages: 4, current_page: 1 } } },
		],
	])('is a problem that names %s', (name, body) => {
		expect(find({ data: [], ...body }).problem).toContain(name);
	});

	it.each([
		{ page: { number: 1, size: 20 } },
		{ next_page_url: null, meta: { next_cursor: '', has_more: false } },
		{ current_page: 2, last_page: 2 },
		{ pagination: { page: 1, pages: 1 } },
		{ data: { id: 'aB3xY9', fields: [], next_step_text: 'Next' } },
	])('is not announced by %j', (body) => {
		const { nextUrl, problem } = find({ data: [], ...body });
		expect([nextUrl, problem]).toEqual([undefined, undefined]);
	});

	it('keeps the query of the list', () => {
		const { nextUrl } = find({ next_page_url: LINK }, {}, `${LIST}?incomplete=false&page=1`);
		expect(nextUrl).toBe(`${LIST}?incomplete=false&page=2`);
	});

	it.each<[number | undefined, object]>([
		[60, { meta: { total: 60 } }],
		[60, { total: '60' }],
		[60, { pagination: { totalCount: 60 } }],
		[undefined, { total_views: 60, count: 60 }],
	])('comes with the total %s of %j', (total, body) => {
		expect(find({ data: [], ...body }).total).toBe(total);
	});
});

it.each<[boolean, Parameters<typeof isWholeList>[0]]>([
	[true, { distinctCount: 60, recordCount: 61, total: 60 }],
	[true, { distinctCount: 61, recordCount: 61, total: 60 }],
	[false, { distinctCount: 59, recordCount: 60, total: 60 }],
	[true, { distinctCount: 60, recordCount: 60 }],
	[false, { distinctCount: 60, recordCount: 61 }],
])('It is %s that %j is a whole list', (isWhole, counts) => {
	expect(isWholeList(counts)).toBe(isWhole);
});
