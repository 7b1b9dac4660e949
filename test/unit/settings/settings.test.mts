import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { root } from '../../../scripts/lib/paths.mts';
import {
	compareSettings,
	describeAllowedValues,
	encodeSettings,
	settings,
	type SettingValue,
} from '../../../nodes/FormService/settings/settings.ts';

const encode = (name: string, value: unknown) => encodeSettings([{ inputName: name, value }]);

const LONGEST = 'https://example.com/'.padEnd(500, 'a');

it('The settings are in the table of docs/settings.md by their names in the editor, with what they take', () => {
	// the table repeats section 2.5 of the specification
	const page = readFileSync(join(root, 'docs/settings.md'), 'utf8');
	const rows = settings.map((one) => {
		const takes = `${describeAllowedValues(one)}${one.nullable ? ', or null' : ''}`;
		return `| \`${one.name}\` | ${one.displayName} | ${takes} |`;
	});
	expect(page).toContain(rows.join('\n'));
});

it.each<[string, unknown[], unknown?]>([
	['is_closed', [true, 1, '1', 'true', 'yes', 'ON'], true],
	['is_closed', [false, 0, 'FALSE', 'No', ' off '], false],
	['after_redirect_delay', [60, '60', ' 060 '], 60],
	['after_redirect_url', [LONGEST, ` ${LONGEST}\n`], LONGEST],
	['after_redirect_url', [null]],
	['captcha', [' Turnstile', '\u200eTurnstile'], 'turnstile'],
	['after_message', ['']],
	['cta_label', ['😀'.repeat(100)]],
	['number_prefix', [2026], '2026'],
	['name', [` ${'x'.repeat(255)}\n`], 'x'.repeat(255)],
])('The setting %s takes %j', (name, values, sent = values[0]) => {
	for (const value of values)
		expect(encode(name, value)).toEqual({ body: { [name]: sent }, problems: [] });
});

it.each<[string, string, unknown[]]>([
	['is_closed', 'true or false', ['perhaps', 2, '', 'null', [true], {}, null]],
	['after_redirect_delay', 'a whole number from 0 to 60', [-1, 61, 1.5, '', true]],
	['after_redirect_url', 'an http or https URL of', [`${LONGEST}a`, 'ftp://a.example', 5]],
	['captcha', 'one of altcha, turnstile, recaptcha, none', ['hcaptcha', '', 1]],
	['cta_label', 'text of at most 100 characters', ['x'.repeat(101)]],
	['name', 'text of 1 to 255 characters', ['x'.repeat(256), '\n', '\u200e', null]],
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
