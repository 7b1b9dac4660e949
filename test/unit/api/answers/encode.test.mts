import fc from 'fast-check';
import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import { encodeAnswers } from '../../../../nodes/FormService/api/answers/encode.ts';

const encode = (value: unknown, isFile = false) =>
	encodeAnswers([{ uuid: 'field-1', name: 'Name', value, isFile }]);

describe('answers of a new response', () => {
	it.each([
		['text, as it is', ' Ada ', ' Ada '],
		['empty text', '', ''],
		['a number in text, as text', '007', '007'],
		['an integer', -42, -42],
		['a decimal, as text', 2.5, '2.5'],
		['a small decimal, without an exponent', 1e-7, '0.0000001'],
		['true', true, 1],
		['false', false, 0],
		['a big integer, exactly', 9007199254740993n, '9007199254740993'],
		['a Date', new Date(Date.UTC(2026, 10, 21, 8, 30)), '2026-11-21T08:30:00.000Z'],
		[
			'a DateTime, with its zone',
			DateTime.fromISO('2026-11-21T08:30:00+01:00', { setZone: true }),
			'2026-11-21T08:30:00.000+01:00',
		],
		['a list, joined', ['Red', 2, true, null, 0.5], 'Red, 2, 1, 0.5'],
	])('take %s', (_, value, sent) => {
		expect(encode(value)).toEqual({ answers: { 'field-1': sent }, problems: [] });
	});

	it.each([[undefined], [null], [[]], [[null]]])('leave out %j', (value) => {
		expect(encode(value)).toEqual({ answers: {}, problems: [] });
	});

	it.each([
		['an object', { a: 1 }, /must be text, a number, a date or a list, not an object/],
		['an object in a list', [{ a: 1 }], /must be text, a number, a date or a list, not an object/],
		['a list in a list', [['a']], /list inside a list/],
		['a number that has lost digits', 2 ** 53, /too many digits/],
		['NaN', NaN, /must be a number/],
		['infinity', -Infinity, /must be a number/],
		['an invalid Date', new Date(NaN), /not a valid date/],
		['an invalid DateTime', DateTime.invalid('test'), /not a valid date/],
	])('refuse %s and name the field', (_, value, problem) => {
		const { answers, problems } = encode(value);
		expect(answers).toEqual({});
		expect(problems).toEqual([expect.stringMatching(problem)]);
		expect(problems[0]).toMatch(/^"Name" /);
	});

	it.each(['', ' ', 'a b', '../x', 'ä'])('refuse %j as the UUID of a field', (uuid) => {
		const { answers, problems } = encodeAnswers([{ uuid, name: uuid, value: 'x' }]);
		expect([answers, problems]).toEqual([{}, [`"${uuid}" is not the UUID of a field.`]]);
	});

	it('report all that is wrong at once', () => {
		const given = ['a', 'b', 'c'].map((uuid) => ({
			uuid,
			name: uuid,
			value: uuid === 'b' ? 'x' : {},
		}));
		expect(encodeAnswers(given).problems).toHaveLength(2);
	});

	it('are always text or safe integers, and a number never changes', () => {
		fc.assert(
			fc.property(fc.anything({ withDate: true, withBigInt: true }), (value) => {
				for (const answer of Object.values(encode(value).answers)) {
					expect(typeof answer === 'string' || Number.isSafeInteger(answer)).toBe(true);
				}
			}),
		);
		fc.assert(
			fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
				const { answers, problems } = encode(value);
				expect(problems.length === 1 || Number(answers['field-1']) === value).toBe(true);
			}),
		);
	});
});

describe('the answer to a file field', () => {
	const url = 'https://files.example/a%20b.pdf?x=1';

	it.each([
		['the URL of a file', url],
		['a file of simplified output', { name: 'a b.pdf', url }],
		['a list of one', [url]],
	])('may be %s', (_, value) => {
		expect(encode(value, true)).toEqual({ answers: { 'field-1': url }, problems: [] });
	});

	it.each([
		'a.pdf',
		'/files/a.pdf',
		'//files.example/a.pdf',
		'ftp://files.example/a.pdf',
		'file:///etc/passwd',
		'data:text/plain,hi',
		'javascript:alert(1)',
		'https://files.example/a b.pdf',
		'https://',
		5,
		true,
		{ name: 'a.pdf' },
		[url, url],
	])('cannot be %j', (value) => {
		const { answers, problems } = encode(value, true);
		expect(answers).toEqual({});
		expect(problems).toEqual([expect.stringMatching(/^"Name" must be an http\(s\) URL/)]);
	});

	it('is left out when there is no file', () => {
		expect(encode('', true)).toEqual({ answers: {}, problems: [] });
	});
});
