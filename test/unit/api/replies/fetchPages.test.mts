import { expect, it } from 'vitest';
import { isNumbered } from '../../../../nodes/FormService/api/replies/fetchPages.ts';

const LIST = 'https://forms.example.com/api/v1/responses/AbC123';

it.each([
	['?page=3', true],
	['?offset=20&limit=10', true],
	['?page=2&per_page=50', true],
	['?page=three', false],
	['?cursor=c2', false],
	['?after=1700000000&limit=10', false],
])('Whether the page at %s can be requested directly: %s', (query, isDirect) => {
	expect(isNumbered(LIST + query, LIST)).toBe(isDirect);
});

it('A parameter of the list does not decide whether its pages can be requested directly', () => {
	const list = `${LIST}?incomplete=false`;
	expect(isNumbered(`${list}&page=2`, list)).toBe(true);
});
