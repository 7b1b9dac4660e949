import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { root } from '../../../scripts/lib/paths.mts';
import {
	compareSettings,
	describeAllowedValues,
	encodeSettings,
	findSetting,
	settings,
	type SettingValue,
} from '../../../nodes/FormService/settings/settings.ts';

const encode = (values: object) =>
	encodeSettings(Object.entries(values).map(([inputName, value]) => ({ inputName, value })));

const LONGEST = 'https://example.com/'.padEnd(500, 'a');

describe('the settings of a form', () => {
	it('are in the table of docs/settings.md by their names in the editor, with what they take', () => {
		// the table repeats section 2.5 of the specification
		const page = readFileSync(join(root, 'docs/settings.md'), 'utf8');
		const rows = settings.map((one) => {
			const takes = `${describeAllowedValues(one)}${one.nullable ? ', or null' : ''}`;
			return `| \`${one.name}\` | ${one.displayName} | ${takes} |`;
		});
		expect(page).toContain(rows.join('\n'));
	});

	it.each<[string, unknown[], unknown[]]>([
		['is_closed', [true, false], ['perhaps', 2, '', 'null', [true], {}, null]],
		['after_redirect_delay', [0, 60, null], [-1, 61, 1.5, 'soon', '', true, {}]],
		['after_redirect_url', [LONGEST, null], [`${LONGEST}a`, 'a.example', 'ftp://a.example', '', 5]],
		['captcha', ['none', null], ['hcaptcha', '', 1]],
		['after_message', ['', '<p>Hi</p>', null], [-1, false, {}, ['a']]],
		['cta_label', [' Go ', '😀'.repeat(100)], ['x'.repeat(101)]],
		['name', ['x'.repeat(255)], ['x'.repeat(256), '\n', '\u200e', null]],
	])('take only values within the bound of %s, and name the bound', (name, fine, wrong) => {
		for (const value of fine) {
			expect(encode({ [name]: value })).toEqual({ body: { [name]: value }, problems: [] });
		}
		const bound = `'${name}' must be ${describeAllowedValues(findSetting(name)!)}`.replace(
			'true or false',
			'yes or no',
		);
		for (const value of wrong) {
			const problems = [expect.stringContaining(bound)];
			expect([value, encode({ [name]: value })]).toEqual([value, { body: {}, problems }]);
		}
	});

	it.each([
		['is_closed', [1, '1', 'true', 'yes', 'ON'], true],
		['is_closed', [0, '0', 'FALSE', 'No', ' off '], false],
		['after_redirect_delay', ['5', ' 5 ', '05'], 5],
		['captcha', [' Turnstile', '\u200eTurnstile'], 'turnstile'],
		['number_prefix', [2026], '2026'],
		['name', [` ${'x'.repeat(255)}\n`], 'x'.repeat(255)],
		['after_redirect_url', [' https://a.example\n'], 'https://a.example'],
	])('take for %s the spellings %j', (name, spellings, sent) => {
		for (const value of spellings) expect(encode({ [name]: value }).body).toEqual({ [name]: sent });
	});

	it('explain what is wrong with a value, and how to clear a setting', () => {
		const values = {
			color: 1,
			responses_limit: '1.000',
			is_closed: '',
			name: {},
			cta_label: 'x'.repeat(101),
			captcha: '',
		};
		expect(encode(values)).toEqual({
			body: {},
			problems: [
				"'color' is not a setting that can be updated.",
				`'responses_limit' must be a whole number of at least 1 in plain digits (got "1.000").`,
				`'is_closed' must be yes or no (got "").`,
				"'name' must be text of 1 to 255 characters (got an object).",
				`'cta_label' must be text of at most 100 characters (got "${'x'.repeat(39)}…).`,
				expect.stringMatching(
					/^'captcha' must be one of .*\(got ""\)\. To clear it, enter null\.$/,
				),
			],
		});
	});
});

it.each<[SettingValue, unknown, boolean]>([
	[true, '1', false],
	[60, '60', false],
	['Two\nlines', 'Two\r\nlines', false],
	[' Closed \n', 'Closed', false],
	['Cafe\u0301', 'Café', false],
	['2026', 2026, false],
	[5, ' 5 ', false],
	['', null, false],
	[null, '', false],
	[null, undefined, true],
	['a  b', 'a b', true],
	[false, null, true],
	['007', '7', true],
])('An update to %j changes a form that has %j: %s', (to, from, isChange) => {
	const changes = compareSettings({ setting: to }, { setting: from } as IDataObject);
	expect(changes).toEqual(isChange ? { setting: { from, to } } : {});
});
