import fc from 'fast-check';
import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import { encodeAnswer } from '../../../../nodes/FormService/api/answers/kinds.ts';
import { cpuTimeOf } from '../../cpuTime.mts';

const zone = 'America/New_York';
const encode = (value: unknown) => encodeAnswer(value, undefined, { zone });
const encodeFile = (value: unknown) => encodeAnswer(value, { kind: 'file', choices: [] }, { zone });

describe('answers of a new response', () => {
	it.each([
		['text, as it is', ' Ada ', ' Ada '],
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
		expect(encode(value)).toEqual({ answer: sent });
	});

	it.each([[undefined], [null], [[]], [[null]], [''], [' '], [['']]])('leave out %j', (value) => {
		expect(encode(value)).toEqual({ answer: undefined });
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
	])('refuse %s', (_, value, problem) => {
		expect(encode(value)).toEqual({ problem: expect.stringMatching(problem) });
	});

	it('are always text or safe integers, and a number never changes', () => {
		fc.assert(
			fc.property(fc.anything({ withDate: true, withBigInt: true }), (value) => {
				const encoded = encode(value);
				if ('problem' in encoded || encoded.answer === undefined) return;
				const { answer } = encoded;
				expect(typeof answer === 'string' || Number.isSafeInteger(answer)).toBe(true);
			}),
		);
		fc.assert(
			fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
				const encoded = encode(value);
				expect('problem' in encoded || Number(encoded.answer) === value).toBe(true);
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
		expect(encodeFile(value)).toEqual({ answer: url });
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
		expect(encodeFile(value)).toEqual({
			problem: expect.stringMatching(/^must be the http or https URL/),
		});
	});

	it('is left out when there is no file', () => {
		expect(encodeFile('')).toEqual({ answer: undefined });
	});
});

describe('the answer to a field with choices', () => {
	const choices = [
		{ name: 'Red', value: 'r' },
		{ name: 'Blue, dark', value: 'b' },
		{ name: 'Two', value: 2 },
	];
	const one = (value: unknown, allowOther = false) =>
		encodeAnswer(value, { kind: 'singleChoice', choices }, { zone, allowOther });
	const several = (value: unknown, allowOther = false) =>
		encodeAnswer(value, { kind: 'multipleChoice', choices }, { zone, allowOther });

	it.each([
		['its value', 'r', 'r'],
		['its name', ' Red', 'r'],
		['its name and value', { label: 'Red', value: 'r' }, 'r'],
		['a number', 2, 2],
		['a number as text', '2', 2],
		['a list of one', ['Red'], 'r'],
	])('may be a choice by %s', (_, value, sent) => {
		expect(one(value)).toEqual({ answer: sent });
	});

	it.each([
		['a list', ['Red', 2], 'r, 2'],
		['text with commas', 'Two, Blue, dark,Red', '2, b, r'],
		['one choice', 'Blue, dark', 'b'],
	])('may be several choices as %s', (_, value, sent) => {
		expect(several(value)).toEqual({ answer: sent });
	});

	it('names at most 20 choices in an error', () => {
		const many = Array.from({ length: 30 }, (_, index) => ({ name: `C${index}`, value: index }));
		const encoded = encodeAnswer('x', { kind: 'singleChoice', choices: many }, { zone });
		expect(encoded).toEqual({
			problem: expect.stringMatching(/^must be one of C0, .* C19 and 10 more$/),
		});
	});

	it('is always one of the choices, or refused', () => {
		const values = choices.map(({ value }) => value);
		fc.assert(
			fc.property(fc.anything({ withDate: true, withBigInt: true }), (value) => {
				const encoded = one(value);
				if ('problem' in encoded || encoded.answer === undefined) return;
				const { answer } = encoded;
				expect(values.includes(answer) || String(answer).trim() === '').toBe(true);
			}),
		);
	});

	it('takes time linear in its length', () => {
		for (const text of [','.repeat(250_000), 'Blue, '.repeat(50_000)]) {
			expect(cpuTimeOf(() => several(text, true))).toBeLessThan(1_000);
		}
	});
});
