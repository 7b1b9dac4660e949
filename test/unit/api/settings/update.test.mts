import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeBound, settings } from '../../../../nodes/FormService/api/settings/settings.ts';
import {
	compareSettings,
	checkSettings,
} from '../../../../nodes/FormService/api/settings/update.ts';
import { settingRules, type SettingRule } from '../../../service/specification/settingsRules.mts';

const urlOfLength = (length: number) => 'https://example.com/'.padEnd(length, 'a');

/** Values up to the bound of a rule of the specification, and values that break the rule. */
function examplesOf(rule: SettingRule): { fine: unknown[]; wrong: unknown[] } {
	switch (rule.kind) {
		case 'boolean':
			return {
				fine: [true, false],
				wrong: ['perhaps', 2, -1, '', 'null', [], {}, [true], null],
			};
		case 'integer': {
			const { min = 0, max = 1_000_000 } = rule;
			const over = rule.max === undefined ? 2 ** 53 : max + 1;
			return {
				fine: [min, max, min + 7],
				wrong: [min - 1, over, 1.5, 'soon', '', true, Infinity, NaN, {}, []],
			};
		}
		case 'url':
			return {
				fine: [urlOfLength(rule.max!), 'http://a.example/?q=1#top'],
				wrong: [
					urlOfLength(rule.max! + 1),
					'example.com',
					'/a',
					'ftp://a.example',
					'https://',
					'',
					5,
				],
			};
		case 'string': {
			const { allowed, max, nullable } = rule;
			if (allowed !== undefined) return { fine: [...allowed], wrong: ['hcaptcha', '', 1] };
			const longest = max ?? 20_000;
			const tooLong = max === undefined ? [] : ['x'.repeat(max + 1), '😀'.repeat(max + 1)];
			const empty = nullable ? [''] : [];
			return {
				fine: ['x'.repeat(longest), '😀'.repeat(longest), '<p>Hi</p>', ...empty],
				wrong: [...tooLong, 5, false, {}, ['a']],
			};
		}
	}
}

const textsFor = (values: Record<string, unknown>, titles?: ReadonlyMap<string, string>) =>
	checkSettings(values, titles).problems.map(({ text }) => text);

describe('the settings of a form', () => {
	it('are those of the specification, in its order', () => {
		expect(settings.map(({ name }) => name)).toEqual(Object.keys(settingRules));
	});

	const inBoth = settings.filter(({ name }) => name in settingRules);
	describe.each(inBoth)('$name', (setting) => {
		const { name } = setting;
		const rule = settingRules[name];
		const { fine, wrong } = examplesOf(rule);
		const nothing = rule.nullable ? { fine: [null], wrong: [] } : { fine: [], wrong: [null] };

		it('takes every value up to its bound, and null only if the specification does', () => {
			for (const value of [...fine, ...nothing.fine]) {
				expect(checkSettings({ [name]: value })).toEqual({ body: { [name]: value }, problems: [] });
			}
		});

		it('refuses every value over its bound or of another type, and names both', () => {
			for (const value of [...wrong, ...nothing.wrong]) {
				const { body, problems } = checkSettings({ [name]: value });
				expect(body, JSON.stringify(value)).toEqual({});
				expect(problems).toMatchObject([{ setting: name }]);
				expect(problems[0].text).toContain(`'${name}' must be ${describeBound(setting)}`);
			}
		});
	});
});

describe('checking an update', () => {
	it.each([
		[1, true],
		[0, false],
		['1', true],
		['0', false],
		['true', true],
		['FALSE', false],
		['yes', true],
		['No', false],
		['ON', true],
		[' off ', false],
	])('takes %j for a boolean', (value, sent) => {
		expect(checkSettings({ is_closed: value }).body).toEqual({ is_closed: sent });
	});

	it.each([
		['60', 60],
		[' 5 ', 5],
		['05', 5],
		['1e1', undefined],
		['5.0', undefined],
		['0x10', undefined],
		['٥', undefined],
	])('takes the text %j for the integer %j', (value, sent) => {
		const { after_redirect_delay } = checkSettings({ after_redirect_delay: value }).body;
		expect(after_redirect_delay).toBe(sent);
	});

	it('leaves a setting without a value as it is', () => {
		expect(checkSettings({ name: undefined, is_closed: true }).body).toEqual({ is_closed: true });
	});

	it('names a setting that does not exist, even if every object has its name', () => {
		const values = JSON.parse('{"is_open": 1, "__proto__": 1, "toString": 1}') as object;
		expect(textsFor({ ...values })).toEqual(
			Object.keys(values).map((name) => `'${name}' is not a setting that can be updated.`),
		);
	});

	it('reports all that is wrong at once', () => {
		const values = { after_redirect_delay: 61, number_prefix: 'x'.repeat(11), nope: 1, name: 'x' };
		expect(checkSettings(values).problems.map(({ setting }) => setting)).toEqual([
			'after_redirect_delay',
			'number_prefix',
			'nope',
		]);
	});

	it('says what was given, but not a long text in full', () => {
		expect(textsFor({ after_redirect_delay: 61, cta_label: 'x'.repeat(101) })).toEqual([
			"'after_redirect_delay' must be a whole number from 0 to 60, or null (got 61).",
			"'cta_label' must be text of at most 100 characters, or null (got text of 101 characters).",
		]);
	});

	it.each([
		['after_redirect_url', true],
		['captcha', true],
		['is_closed', false],
	])('says of an emptied %s how to clear it, if it can be cleared: %j', (name, isSaid) => {
		expect(textsFor({ [name]: '' })[0].includes('To clear it, enter null.')).toBe(isSaid);
	});

	it('speaks of settings by the names that a person has given them', () => {
		const titles = new Map([['responses_limit', 'Limit of responses']]);
		expect(textsFor({ responses_limit: 0, cta_label: '' }, titles)).toEqual([
			"'Limit of responses' must be a whole number of at least 1 (got 0).",
		]);
	});

	it.each(['', ' ', '\n\t'])(
		'refuses %j as a name, which would leave the form without one',
		(name) => {
			expect(checkSettings({ name })).toMatchObject({ body: {}, problems: [{ setting: 'name' }] });
		},
	);

	it('sends a name and a URL without the blanks around them', () => {
		const name = ` ${'x'.repeat(255)}\n`;
		const after_redirect_url = ' https://a.example\n';
		expect(checkSettings({ name, after_redirect_url }).body).toEqual({
			name: 'x'.repeat(255),
			after_redirect_url: 'https://a.example',
		});
	});

	it('never sends a value together with a problem about it, and never drops a setting silently', () => {
		const name = fc.constantFrom(...settings.map((setting) => setting.name), 'nope');
		const value = fc.oneof(fc.anything(), fc.integer(), fc.string(), fc.boolean(), fc.webUrl());
		fc.assert(
			fc.property(fc.dictionary(name, value), (values) => {
				const { body, problems } = checkSettings(values);
				const asked = Object.keys(values).filter((key) => values[key] !== undefined);
				const answered = [...Object.keys(body), ...problems.map(({ setting }) => setting)];
				expect(answered.toSorted()).toEqual(asked.toSorted());
			}),
		);
	});
});

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
		['Two\nlines', 'Two\r\nlines'],
		[null, null],
	])('is nothing where %j is to be what the record has as %j', (to, from) => {
		expect(compareSettings({ setting: to }, { setting: from })).toEqual({
			changes: {},
			unknown: {},
		});
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
		expect(compareSettings({ setting: to }, { setting: from }).changes).toEqual({
			setting: { from, to },
		});
	});

	it('has each setting as changed, as unknown, or as already there', () => {
		const name = fc.constantFrom('is_closed', 'cta_label', 'responses_limit', 'name');
		const value = fc.oneof(fc.boolean(), fc.integer(), fc.string(), fc.constant(null));
		fc.assert(
			fc.property(fc.dictionary(name, value), fc.dictionary(name, value), (body, form) => {
				const { changes, unknown } = compareSettings(body, form);
				for (const setting of Object.keys(body)) {
					const isThere = setting in form;
					expect(setting in unknown).toBe(!isThere);
					expect(setting in changes && !isThere).toBe(false);
				}
				expect(compareSettings(body, { ...form, ...body })).toEqual({ changes: {}, unknown: {} });
			}),
		);
	});
});
