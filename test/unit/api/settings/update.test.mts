import { describe, expect, it } from 'vitest';
import { describeBound, settings } from '../../../../nodes/FormService/api/settings/settings.ts';
import {
	compareSettings,
	encodeSettings,
} from '../../../../nodes/FormService/api/settings/update.ts';
import { settingRules, type SettingRule } from '../../../service/specification/settingsRules.mts';

const encode = (values: object) =>
	encodeSettings(Object.entries(values).map(([title, value]) => ({ title, value })));

const urlOfLength = (length: number) => 'https://example.com/'.padEnd(length, 'a');

/** Values up to the bound of a rule of the specification, and values that break the rule. */
function examplesOf(rule: SettingRule): { fine: unknown[]; wrong: unknown[] } {
	switch (rule.kind) {
		case 'boolean':
			return { fine: [true, false], wrong: ['perhaps', 2, -1, '', 'null', [], {}, [true]] };
		case 'integer': {
			const { min = 0, max = 1_000_000 } = rule;
			const over = rule.max === undefined ? 2 ** 53 : max + 1;
			return {
				fine: [min, max, min + 7],
				wrong: [min - 1, over, 1.5, 'soon', '', '0x10', true, Infinity, NaN, {}, []],
			};
		}
		case 'url': {
			const tooLong = urlOfLength(rule.max! + 1);
			return {
				fine: [urlOfLength(rule.max!), 'http://a.example/?q=1#top'],
				wrong: [tooLong, 'example.com', '/a', 'ftp://a.example', 'https://', '', 5],
			};
		}
		case 'string': {
			const { allowed, max, nullable } = rule;
			if (allowed !== undefined) return { fine: [...allowed], wrong: ['hcaptcha', '', 1] };
			const longest = max ?? 20_000;
			const tooLong = max === undefined ? [] : ['x'.repeat(max + 1), '😀'.repeat(max + 1)];
			const empty = nullable ? { fine: [''], wrong: [] } : { fine: [], wrong: ['', '\n\t'] };
			return {
				fine: ['x'.repeat(longest), '😀'.repeat(longest), '<p>Hi</p>', ...empty.fine],
				wrong: [...tooLong, ...empty.wrong, -1, NaN, Infinity, false, {}, ['a']],
			};
		}
	}
}

describe('the settings of a form', () => {
	it('are those of the specification, in its order', () => {
		expect(settings.map(({ name }) => name)).toEqual(Object.keys(settingRules));
	});

	it.each(settings)('take only values within the bound of $name, and name the bound', (setting) => {
		const { name } = setting;
		const { fine, wrong } = examplesOf(settingRules[name]);
		(settingRules[name].nullable ? fine : wrong).push(null);
		for (const value of fine) {
			expect(encode({ [name]: value })).toEqual({ body: { [name]: value }, problems: [] });
		}
		for (const value of wrong) {
			const { body, problems } = encode({ [name]: value });
			expect([value, body, problems]).toEqual([value, {}, [expect.any(String)]]);
			expect(problems[0]).toContain(`'${name}' must be ${describeBound(setting)}`);
		}
	});

	it.each([
		['is_closed', [1, '1', 'true', 'yes', 'ON'], true],
		['is_closed', [0, '0', 'FALSE', 'No', ' off '], false],
		['after_redirect_delay', ['5', ' 5 ', '05'], 5],
		['captcha', [' Turnstile'], 'turnstile'],
		['number_prefix', [2026], '2026'],
		['name', [` ${'x'.repeat(255)}\n`], 'x'.repeat(255)],
		['after_redirect_url', [' https://a.example\n'], 'https://a.example'],
	])('take for %s the spellings %j', (name, spellings, sent) => {
		for (const value of spellings) expect(encode({ [name]: value }).body).toEqual({ [name]: sent });
	});

	it.each<[string, unknown, string]>([
		['after_redirect_delay', 61, 'from 0 to 60 (got 61).'],
		['cta_label', 'x'.repeat(101), `at most 100 characters (got "${'x'.repeat(39)}…).`],
		['captcha', '', 'recaptcha, none (got ""). To clear it, enter null.'],
		['is_closed', '', 'must be true or false (got "").'],
		['__proto__', 1, 'is not a setting that can be updated.'],
		['toString', 1, 'is not a setting that can be updated.'],
	])('explain what is wrong with %s = %j', (title, value, problem) => {
		const { body, problems } = encodeSettings([{ title, value }]);
		expect([body, problems]).toEqual([{}, [expect.stringContaining(problem)]]);
		expect(problems[0]).toMatch(`'${title}' `);
	});
});

describe('an update', () => {
	it.each([
		[true, '1'],
		[false, '0'],
		[60, '60'],
		['Thanks', 'Thanks'],
		['Two\nlines', 'Two\r\nlines'],
		[null, null],
	])('to %j changes nothing if the form has %j', (to, from) => {
		const { changes } = compareSettings({ setting: to }, { setting: from });
		expect(changes).toEqual({});
	});

	it.each([
		[false, null],
		[true, 'perhaps'],
		[0, null],
		['', null],
		[null, ''],
		['007', '7'],
	])('to %j is a change if the form has %j', (to, from) => {
		const { changes } = compareSettings({ setting: to }, { setting: from });
		expect(changes).toEqual({ setting: { from, to } });
	});
});
