import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changesOf } from '../../../../nodes/FormService/api/settings/changes.ts';

describe('what an update changes in a form', () => {
	it.each([
		[true, 1],
		[true, '1'],
		[true, 'true'],
		[true, 'yes'],
		[false, 0],
		[false, '0'],
		[60, '60'],
		['Thanks', 'Thanks'],
		[null, null],
	])('is nothing where %j is to be what the record has as %j', (to, from) => {
		expect(changesOf({ setting: to }, { setting: from })).toEqual({ changes: {}, unknown: {} });
	});

	it.each([
		[true, null],
		[false, null],
		[true, 'perhaps'],
		[0, null],
		['', null],
		[null, ''],
		['007', '7'],
	])('is %j where the record has %j', (to, from) => {
		expect(changesOf({ setting: to }, { setting: from }).changes).toEqual({
			setting: { from, to },
		});
	});

	it('tells of each setting that it changes, or that it may, or has it already', () => {
		const name = fc.constantFrom('is_closed', 'cta_label', 'responses_limit', 'name');
		const value = fc.oneof(fc.boolean(), fc.integer(), fc.string(), fc.constant(null));
		fc.assert(
			fc.property(fc.dictionary(name, value), fc.dictionary(name, value), (body, form) => {
				const { changes, unknown } = changesOf(body, form);
				for (const setting of Object.keys(body)) {
					const isThere = setting in form;
					expect(setting in unknown).toBe(!isThere);
					expect(setting in changes && !isThere).toBe(false);
				}
				expect(changesOf(body, { ...form, ...body })).toEqual({ changes: {}, unknown: {} });
			}),
		);
	});
});
