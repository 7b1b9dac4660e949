import { expect, it } from 'vitest';
import { linksOf } from '../../../../nodes/FormService/api/replies/linkHeader.ts';

it.each([
	['<https://a.example/r?page=2>; rel="next"', 'https://a.example/r?page=2'],
	['</r?page=1>; rel="prev", </r?page=3>; rel="next"', '/r?page=3'],
	['</r?page=3,4>; title="more"; rel=next', '/r?page=3,4'],
	['</r?page=2>; rel="last next"; title="more"', '/r?page=2'],
	['</r?page=2>; title="a, b"; rel="next"', '/r?page=2'],
	[['</r?page=1>; rel="prev"', '</r?page=3>; rel="next"'], '/r?page=3'],
])('the next page of the Link header %j is %s', (link, next) => {
	expect(linksOf({ link })).toEqual({ links: { next: { href: next } } });
});

it.each([undefined, '', '</r?page=1>; rel="prev"', '</r>; rel="nextcloud"', '</a>, rel="next"', 7])(
	'the Link header %j names no next page',
	(link) => {
		expect(linksOf({ link })).toEqual({});
	},
);
