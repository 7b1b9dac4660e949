import { describe, expect, it } from 'vitest';
import {
	describeShape,
	parseEnvelope,
	unwrapEnvelope,
} from '../../../nodes/FormService/api/envelope.ts';

it('a body that was cut is never taken for whole', () => {
	const body = JSON.stringify({ success: true, data: [{ uuid: 'a', value: 'ä€😀' }] });
	expect(parseEnvelope(body)?.isConfirmed).toBe(true);
	for (let length = 0; length < body.length; length++) {
		expect(parseEnvelope(body.slice(0, length))).toBeUndefined();
	}
});

describe('the envelope', () => {
	it.each([
		[true, { success: false }],
		[true, { success: 'False' }],
		[true, { success: 0, data: {} }],
		[false, { success: true, error: 'none' }],
		[false, { uuid: 'a', errors: [] }],
		[false, { status: 'ok' }],
	])('says that the request has failed: %s for %j', (failed, value) => {
		expect(unwrapEnvelope(value).isFailure).toBe(failed);
	});

	it('is not needed: what comes without it is the data', () => {
		expect(unwrapEnvelope([1]).data).toEqual([1]);
		const form = { id: 'AbC123', title: 'Survey' };
		expect(unwrapEnvelope(form)).toMatchObject({
			isFailure: false,
			message: undefined,
			data: form,
		});
	});

	it.each([
		['The data was invalid. Wrong name. captcha: No.', 'The data was invalid.'],
		['Wrong name. captcha: No.', ''],
		['Wrong name. captcha: No.', 'Wrong name. (and 1 more error)'],
	])('joins its message with those on fields, each once: "%s"', (joined, message) => {
		const errors = { name: ['Wrong name.'], captcha: ['No', 'No.'], odd: [1, null] };
		expect(unwrapEnvelope({ success: false, message, errors }).message).toBe(joined);
	});

	it.each([
		[{ responses_limit: ['The responses limit must be 1.'] }, 'The responses limit must be 1.'],
		[{ 'data.f1': ['The data.f1 is wrong.'] }, 'The data.f1 is wrong.'],
		[{ 'data.f1.0': ['Wrong.'] }, 'data.f1.0: Wrong.'],
		[{ data: { f1: 'Wrong.' } }, 'data.f1: Wrong.'],
		[['Wrong.', { message: 'Too long.' }], 'Wrong. Too long.'],
		[[{ field: 'data.f1', message: 'Too long.', code: 'max' }], 'data.f1: Too long.'],
		[[{ field: 'f1', detail: 'Too long.' }], 'f1: Too long.'],
		['Wrong.', 'Wrong.'],
	])('names the field of each message: %j', (errors, joined) => {
		expect(unwrapEnvelope({ success: false, errors }).message).toBe(joined);
	});

	const uuid = '9b1f2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d';

	it.each<[unknown, string?]>([
		[{ success: true, data: { uuid } }, uuid],
		[{ message: 'Added.', data: { id: 'r-1', uuid } }, uuid],
		[{ data: uuid }, uuid],
		[{ uuid, data: { f1: 'Ada' } }, uuid],
		[{ id: 'request-1', data: { uuid } }, uuid],
		[{ data: { id: 7 } }, '7'],
		[{ success: 1, message: 'Added.', data: [] }],
		[{ success: true, id: 'request-1', data: { message: 'ok' } }],
		[{ success: true, id: 'request-1', uuid }, uuid],
		[{ id: 'r-1', answers: [] }, 'r-1'],
	])('confirms that the service has acted by %j', (value, id) => {
		expect(unwrapEnvelope(value)).toMatchObject({ isConfirmed: true, id });
	});

	it.each([
		...[null, 'Added.', [], {}, { message: 'Unauthenticated.' }],
		{ code: 422, message: 'The given data was invalid.', data: null },
		{ success: null, status: 'ok', data: {} },
		{ id: 'request-1', errors: { name: ['Too long.'] } },
		{ id: 'request-1', message: 'Unauthenticated.' },
		{ success: false, data: { uuid } },
	])('confirms nothing by %j', (value) => {
		expect(unwrapEnvelope(value).isConfirmed).toBe(false);
	});
});

it('the shape of a value in an error never shows a value', () => {
	const shapes = [{ a: 'SECRET' }, ['SECRET'], 'SECRET', {}].map((value) => describeShape(value));
	expect(shapes).toEqual(['an object with "a"', 'a list of 1', 'a string', 'an empty object']);
});
