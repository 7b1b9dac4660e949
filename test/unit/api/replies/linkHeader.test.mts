import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nextInLinkHeader } from '../../../../nodes/FormService/api/replies/nextPage.ts';

/** The examples of RFC 8288, section 3.5, and the one of section 3.4.1 with several links. */
it.each([
	['<http://example.com/TheBook/chapter2>; rel="previous"; title="previous chapter"', undefined],
	['</>; rel="http://example.net/foo"', undefined],
	['</terms>; rel="copyright"; anchor="#foo"', undefined],
	[
		'</TheBook/chapter2>;\r\n rel="previous"; title*=UTF-8\'de\'letztes%20Kapitel,\r\n </TheBook/chapter4>;\r\n rel="next"; title*=UTF-8\'de\'n%c3%a4chstes%20Kapitel',
		'/TheBook/chapter4',
	],
	['<http://example.org/>; rel="start http://example.net/relation/other"', undefined],
	['<https://example.org/>; rel="start", <https://example.org/index>; rel="index"', undefined],
])('the next page of the RFC’s example %j is %s', (header, next) => {
	expect(nextInLinkHeader(header)).toBe(next);
});

it.each([
	['<https://a.example/r?page=2>; rel="next"', 'https://a.example/r?page=2'],
	['</r?page=1>; rel="prev", </r?page=3>; rel="next"', '/r?page=3'],
	['</r?page=3,4>; title="more"; rel=next', '/r?page=3,4'],
	['</r?page=2>; rel="last next"; title="more"', '/r?page=2'],
	['</r?page=2>; REL="NEXT"', '/r?page=2'],
	['</r?page=2>; title="a, b; rel=prev"; rel="next"', '/r?page=2'],
	['</r?page=2>; title="a \\" b"; rel="next"', '/r?page=2'],
	['</r?page=2> ; rel = "next"', '/r?page=2'],
	['</r?page=2>; crossorigin; rel="next"', '/r?page=2'],
	[['</r?page=1>; rel="prev"', '</r?page=3>; rel="next"'], '/r?page=3'],
])('the next page of the Link header %j is %s', (header, next) => {
	expect(nextInLinkHeader(header)).toBe(next);
});

it.each([
	undefined,
	'',
	'</r?page=1>; rel="prev"',
	'</r>; rel="nextcloud"',
	'</a>, rel="next"',
	// of several rel the first counts, and an anchor makes it a link of something else
	'</r>; rel="prev"; rel="next"',
	'</r>; rel="next"; anchor="/other"',
	'</r>; title="; rel=next"',
	7,
])('the Link header %j names no next page', (header) => {
	expect(nextInLinkHeader(header)).toBeUndefined();
});

it('is read in a time linear in its length, whatever it has over and over', () => {
	const part = fc.string({
		unit: fc.constantFrom('<', '>', ';', ',', '=', '"', '\\', ' ', 'a', 'rel', 'next'),
		minLength: 1,
		maxLength: 8,
	});
	fc.assert(
		fc.property(part, (repeated) => {
			const header = repeated.repeat(100_000 / repeated.length);
			const begun = performance.now();
			nextInLinkHeader(header);
			expect(performance.now() - begun).toBeLessThan(2_000);
		}),
		{ numRuns: 200 },
	);
});
