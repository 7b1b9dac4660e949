import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import {
	compareSettings,
	encodeSettings,
	settings,
	type SettingValue,
} from '../../../nodes/FormService/settings/settings.ts';
import { settingsSchema } from '../../service/specification/settingsRules.mts';

const encode = (name: string, value: unknown) => encodeSettings([{ inputName: name, value }]);

const LONGEST = 'https://example.com/'.padEnd(500, 'a');

const VALUES = [
	...[true, false, null, -1, 0, 1, 60, 61, 1.5, 'none', 'hcaptcha', LONGEST, `${LONGEST}a`],
	...[0, 10, 11, 100, 101, 255, 256, 500, 501, 1_000, 1_001].map((length) => 'x'.repeat(length)),
];

it('Each setting takes what the specification allows, and sends nothing else', () => {
	const names = Object.keys(settingsSchema.shape);
	expect(settings.map(({ name }) => name)).toEqual(names);
	for (const name of names) {
		for (const value of VALUES) {
			const isAllowed = settingsSchema.safeParse({ [name]: value }).success;
			const { body } = encode(name, value);
			expect(settingsSchema.safeParse(body).success, `${name} ${value}`).toBe(true);
			// a form cannot do without a name
			if (isAllowed && !(name === 'name' && value === '')) expect(body, name).toHaveProperty(name);
		}
	}
});

it.each<[string, unknown[], unknown?]>([
	['is_closed', [true, 1, '1', 'true', 'yes', 'ON'], true],
	['is_closed', [false, 0, 'FALSE', 'No', ' off '], false],
	['after_redirect_delay', [60, '60', ' 060 '], 60],
	['after_redirect_url', [LONGEST, ` ${LONGEST}\n`], LONGEST],
	['captcha', [' Turnstile', '\u200eTurnstile'], 'turnstile'],
	['after_message', [' Thanks\n']],
	['cta_label', ['😀'.repeat(100)]],
	['number_prefix', [2026], '2026'],
	['name', [` ${'x'.repeat(255)}\n`], 'x'.repeat(255)],
])('The setting %s takes %j', (name, values, sent = values[0]) => {
	for (const value of values)
		expect(encode(name, value)).toEqual({ body: { [name]: sent }, problems: [] });
});

it.each<[string, string, unknown[]]>([
	['is_closed', 'true or false', ['perhaps', '', [true], {}]],
	['after_redirect_delay', 'a whole number from 0 to 60', [true]],
	['responses_limit', 'a whole number of at least 1 (got ""). To clear it, enter null.', ['']],
	['after_redirect_url', 'an http or https URL of', [5, 'ftp://a.example']],
	['captcha', 'one of altcha, turnstile, recaptcha, none', ['', 1]],
	['name', 'text of 1 to 255 characters', ['\n', '\u200e']],
])('The setting %s must be %s, and not one of %j', (name, allowed, values) => {
	const problems = [expect.stringContaining(`'${name}' must be ${allowed}`)];
	for (const value of values)
		expect([value, encode(name, value)]).toEqual([value, { body: {}, problems }]);
});

it.each<[SettingValue, unknown, boolean]>([
	[true, '1', false],
	[60, '60', false],
	['Two\nlines', 'Two\r\nlines', false],
	['Cafe\u0301', 'Café', false],
	[null, '', false],
	[null, undefined, true],
	['a  b', 'a b', true],
	[false, null, true],
	['007', '7', true],
])('An update to %j changes a form that has %j: %s', (to, from, isChange) => {
	const changes = compareSettings({ setting: to }, { setting: from } as IDataObject);
	expect(changes).toEqual(isChange ? { setting: { from, to } } : {});
});
