import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { describeBound, settings } from '../../../../nodes/FormService/api/settings/settings.ts';
import {
	compareSettings,
	encodeSettings,
	type SettingValue,
} from '../../../../nodes/FormService/api/settings/update.ts';
import { settingRules, type SettingRule } from '../../../service/specification/settingsRules.mts';

const encode = (values: object) => encodeSettings(Object.entries(values));

/** Values up to the bound of a rule of the specification, and values that break the rule. */
function examplesOf(rule: SettingRule): { fine: unknown[]; wrong: unknown[] } {
	const { nullable } = rule;
	switch (rule.kind) {
		case 'boolean':
			return { fine: [true, false], wrong: ['perhaps', 2, '', 'null', [], {}, [true], null] };
		case 'integer': {
			const { min = 0, max = Number.MAX_SAFE_INTEGER } = rule;
			const wrong = [min - 1, max + 1, 1.5, 'soon', '', '0x10', true, NaN, {}];
			return { fine: [min, max, min + 7, null], wrong };
		}
		case 'url': {
			const longest = 'https://example.com/'.padEnd(rule.max!, 'a');
			const wrong = [`${longest}a`, 'example.com', '/a', 'ftp://a.example', 'https://', '', 5];
			return { fine: [longest, 'http://a.example/?q=1#top', null], wrong };
		}
		case 'string': {
			const { allowed, max } = rule;
			if (allowed) return { fine: [...allowed, null], wrong: ['hcaptcha', '', 1] };
			const fine = ['<p>Hi</p>', '😀'.repeat(max ?? 20_000), ...(nullable ? ['', null] : [])];
			const tooLong = max === undefined ? [] : ['x'.repeat(max + 1)];
			return {
				fine,
				wrong: [...tooLong, -1, NaN, false, {}, ['a'], ...(nullable ? [] : ['\n', null])],
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
		['captcha', '', 'recaptcha, none (got ""). To clear it, enter null.'],
		['__proto__', 1, 'is not a setting that can be updated.'],
	])('explain what is wrong with %s = %j', (title, value, problem) => {
		const { body, problems } = encodeSettings([[title, value]]);
		expect([body, problems]).toEqual([{}, [expect.stringContaining(problem)]]);
		expect(problems[0]).toMatch(`'${title}' `);
	});
});

it.each<[SettingValue, unknown, boolean]>([
	[true, '1', false],
	[60, '60', false],
	['Two\nlines', 'Two\r\nlines', false],
	[null, null, false],
	[false, null, true],
	[0, null, true],
	['', null, true],
	[null, '', true],
	['007', '7', true],
])('An update to %j changes a form that has %j: %s', (to, from, isChange) => {
	const changes = compareSettings({ setting: to }, { setting: from } as IDataObject);
	expect(changes).toEqual(isChange ? { setting: { from, to } } : {});
});
