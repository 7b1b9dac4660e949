import { describe, expect, it } from 'vitest';
import { readContent, describeShape, unwrap } from '../../../nodes/FormService/api/envelope.ts';

const read = (text: string | Buffer, type = 'application/json') =>
	readContent({ 'content-type': type }, Buffer.from(text));

describe('reading the body of a reply', () => {
	it('never takes a body that was cut for whole', () => {
		const body = JSON.stringify({ success: true, data: [{ uuid: 'a', value: 'ä€😀' }] });
		for (let length = 1; length < body.length; length++) {
			expect(read(body.slice(0, length)).kind).toBe('cutOff');
		}
	});

	it.each([
		['', 'empty'],
		[' \r\n', 'empty'],
		['<!DOCTYPE html><title>Log in</title>', 'webPage'],
		['<html lang="en">', 'webPage'],
		['Bad Gateway', 'unreadable'],
	])('reads %j as %s', (text, kind) => {
		expect(read(text).kind).toBe(kind);
	});

	it('refuses JSON of more than 100 levels, which n8n could not store', () => {
		const nested = (levels: number) => '[1,'.repeat(levels - 1) + '[]' + ']'.repeat(levels - 1);
		expect(read(nested(100)).kind).toBe('json');
		expect(read(nested(101)).kind).toBe('tooDeep');
		expect(read('{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000)).kind).toBe('tooDeep');
	});

	it('takes a text for a web page if its type says so, but JSON for JSON', () => {
		expect(read('Please log in', 'text/html; charset=utf-8').kind).toBe('webPage');
		const value = { success: true };
		expect(read('\uFEFF{"success":true}', 'text/html')).toEqual({ kind: 'json', value });
	});
});

describe('unwrapping the envelope', () => {
	it.each([
		[true, { success: false }],
		[true, { success: 'False' }],
		[true, { error: 'This form is closed' }],
		[true, { error: { message: 'This form is closed' } }],
		[true, { errors: { name: ['Too long.'] }, message: 'Not valid' }],
		[true, { status: 'error', message: 'This form is closed' }],
		[false, { uuid: 'a', error: 'none' }],
		[false, { success: true, error: 'none' }],
		[false, { data: [], error: 'none' }],
		[false, { error: null, errors: [] }],
		[false, { status: 'ok' }],
	])('says that the request has failed: %s for %j', (failed, value) => {
		expect(unwrap(value).failed).toBe(failed);
	});

	it('takes what comes without an envelope for the data', () => {
		expect(unwrap([1]).data).toEqual([1]);
		const form = { id: 'AbC123', title: 'Survey' };
		expect(unwrap(form)).toMatchObject({ failed: false, details: [], data: form });
	});

	it.each<[object, string[], string?]>([
		[{ errors: { name: ['Too long.'], captcha: 'No.' } }, ['name: Too long.', 'captcha: No.']],
		[{ errors: ['A', { message: 'B' }, { title: 'C' }] }, ['A', 'B', 'C']],
		[{ errors: { data: { a: { 0: 'No.' }, b: [{ message: 'No.' }] } } }, ['a: No.', 'b: No.']],
		[{ message: ['A', 'B'] }, ['A', 'B']],
		[{ detail: 'A' }, [], 'A'],
		[{ title: 'Invalid', detail: 'A', errors: [{ detail: 'B' }] }, ['A', 'B'], 'Invalid'],
		[{ message: 'Invalid', detail: [{ loc: ['body'], msg: 'A' }] }, ['A'], 'Invalid'],
	])('collects the reasons in %j', (value, details, message) => {
		const expected = { failed: true, details, ...(message && { message }) };
		expect(unwrap({ success: false, ...value })).toMatchObject(expected);
	});
});

it('the shape of a value in an error never shows a value', () => {
	const shapes = [{ a: 'SECRET' }, ['SECRET'], 'SECRET', { b: ['SECRET'] }].map(describeShape);
	expect(shapes).toEqual(['an object with "a"', 'a list of 1', 'a string', 'an object with "b"']);
});
