import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSettings } from '../../../../nodes/FormService/api/settings/checkSettings.ts';
import { boundOf, settings } from '../../../../nodes/FormService/api/settings/settings.ts';

/** Section 2.5 of the specification, as it stands there. */
const specification = `
admin_email_attach_pdf | boolean
admin_email_note | string or null
admin_email_subject | string or null, max 255
after_message | string or null
after_message_email | string or null
after_message_email_subject | string or null, max 255
after_redirect_delay | integer or null, 0 to 60
after_redirect_url | URL or null, max 500
ai_summary_enabled | boolean
captcha | string or null; allowed values: altcha, turnstile, recaptcha, none
capture_location | boolean
closed_message | string or null
cta_label | string or null, max 100
cta_label_continue | string or null, max 100
description | string or null, max 1000
discord_enabled | boolean
google_sheets_enabled | boolean
hubspot_enabled | boolean
include_response_in_email | boolean
is_closed | boolean
name | string, max 255
number_prefix | string or null, max 10
number_suffix | string or null, max 10
responses_limit | integer or null, min 1
send_pdf_to_respondent | boolean
seo_allow_bots | boolean
seo_description | string or null, max 500
seo_title | string or null, max 255
show_formtitle | boolean
show_multipage_progress | boolean
slack_enabled | boolean`;

const rows = specification
	.trim()
	.split('\n')
	.map((line) => line.split(' | ') as [name: string, rule: string]);

const urlOfLength = (length: number) => 'https://example.com/'.padEnd(length, 'a');

/** Values at the bound, that have to be sent as they are, and just over it, by the rule's own words. */
function examplesOf(name: string, rule: string): { fine: unknown[]; wrong: unknown[] } {
	const max = Number(/max (\d+)/.exec(rule)?.[1] ?? NaN);
	const kind = /^\w+/.exec(rule)![0];
	const nullable = rule.includes('or null');
	const examples = {
		boolean: { fine: [true, false], wrong: ['perhaps', 2, -1, '', 'null', [], {}, [true]] },
		URL: {
			fine: [urlOfLength(max), 'http://a.example/?q=1#top'],
			wrong: [urlOfLength(max + 1), 'example.com', '/thanks', 'ftp://a.example', 'https://', '', 5],
		},
		integer: rule.includes('0 to 60')
			? { fine: [0, 60, 7], wrong: [-1, 61, 1.5, 'soon', '', true, Infinity, NaN, {}] }
			: { fine: [1, 1_000_000], wrong: [0, -1, 1.5, 'many', '', false, 2 ** 53, []] },
		string: rule.includes('allowed values')
			? { fine: ['altcha', 'turnstile', 'recaptcha', 'none'], wrong: ['hcaptcha', '', 1] }
			: Number.isNaN(max)
				? { fine: ['x'.repeat(20_000), '', '<p>Hi</p>'], wrong: [5, true, {}, ['a']] }
				: {
						fine: ['x'.repeat(max), '😀'.repeat(max), ...(name === 'name' ? [] : [''])],
						wrong: ['x'.repeat(max + 1), '😀'.repeat(max + 1), 5, false, {}, ['a']],
					},
	}[kind]!;
	return {
		fine: [...examples.fine, ...(nullable ? [null] : [])],
		wrong: [...examples.wrong, ...(nullable ? [] : [null])],
	};
}

describe('the settings of a form', () => {
	it('are the 31 of the specification, in its order', () => {
		expect(rows).toHaveLength(31);
		expect(settings.map(({ name }) => name)).toEqual(rows.map(([name]) => name));
	});

	describe.each(rows)('%s (%s)', (name, rule) => {
		const { fine, wrong } = examplesOf(name, rule);

		it('takes every value up to its bound', () => {
			for (const value of fine) {
				expect(checkSettings({ [name]: value })).toEqual({ body: { [name]: value }, problems: [] });
			}
		});

		it('refuses every value over its bound or of another type, and names both', () => {
			const setting = settings.find((candidate) => candidate.name === name)!;
			for (const value of wrong) {
				const { body, problems } = checkSettings({ [name]: value });
				expect(body, JSON.stringify(value)).toEqual({});
				expect(problems).toHaveLength(1);
				expect(problems[0].text).toContain(`'${name}' must be ${boundOf(setting)}`);
			}
		});

		it('can be cleared only if the specification lets it be null', () => {
			const { body, problems } = checkSettings({}, [name]);
			if (rule.includes('or null'))
				expect({ body, problems }).toEqual({ body: { [name]: null }, problems: [] });
			else expect([body, problems.length]).toEqual([{}, 1]);
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
	])('takes the text %j for an integer', (value, sent) => {
		expect(checkSettings({ after_redirect_delay: value }).body).toEqual({
			after_redirect_delay: sent,
		});
	});

	it.each(['1e1', '5.0', '0x10', '٥'])('does not guess at the number in the text %j', (value) => {
		expect(checkSettings({ after_redirect_delay: value }).problems).toHaveLength(1);
	});

	it('leaves a setting without a value as it is', () => {
		expect(checkSettings({ name: undefined, is_closed: true }).body).toEqual({ is_closed: true });
	});

	it('names a setting that does not exist', () => {
		const [problem] = checkSettings({ is_open: true }).problems;
		expect(problem.text).toBe("'is_open' is not a setting that can be updated.");
	});

	it('does not take the names that every object has for settings', () => {
		const values = JSON.parse('{"__proto__": 1, "constructor": 1, "toString": 1}') as Record<
			string,
			unknown
		>;
		expect(checkSettings(values).problems).toHaveLength(3);
	});

	it('refuses a setting that is both set and cleared', () => {
		const { body, problems } = checkSettings({ seo_title: 'Hi' }, ['seo_title']);
		expect(body).toEqual({});
		expect(problems.map(({ text }) => text)).toEqual([
			"'seo_title' is both set and cleared. Do one or the other.",
		]);
	});

	it('reports all that is wrong at once', () => {
		const values = {
			after_redirect_delay: 61,
			number_prefix: 'x'.repeat(11),
			nope: 1,
			is_closed: true,
		};
		expect(checkSettings(values).problems.map(({ setting }) => setting)).toEqual([
			'after_redirect_delay',
			'number_prefix',
			'nope',
		]);
	});

	it('tells what it was given, but not a long text in full', () => {
		const text = (values: Record<string, unknown>) => checkSettings(values).problems[0].text;
		expect(text({ after_redirect_delay: 61 })).toBe(
			"'after_redirect_delay' must be a whole number from 0 to 60, or null (got 61).",
		);
		expect(text({ cta_label: 'x'.repeat(101) })).toMatch(
			/at most 100 characters, or null \(got text of 101 characters\)\.$/,
		);
	});

	it.each([
		['after_redirect_url', true],
		['captcha', true],
		['is_closed', false],
	])('says of an emptied %s how to clear it, if it can be cleared: %j', (name, isSaid) => {
		const [{ text }] = checkSettings({ [name]: '' }).problems;
		expect(text.includes('To clear it, enter null.')).toBe(isSaid);
	});

	it('speaks of settings as the editor does where they come from its fields', () => {
		const inEditor = (values: Record<string, unknown>) =>
			checkSettings(values, [], 'editor').problems.map(({ text }) => text);
		expect(inEditor({ responses_limit: 0, cta_label: '' })).toEqual([
			"'Responses Limit' must be a whole number of at least 1 (got 0).",
		]);
	});

	it('speaks of settings as the columns of a sheet do', () => {
		const columns = new Map([['responses_limit', 'Limit of responses']]);
		expect(checkSettings({ responses_limit: 0 }, [], columns).problems).toEqual([
			{
				setting: 'responses_limit',
				text: "'Limit of responses' must be a whole number of at least 1 (got 0).",
			},
		]);
	});

	it.each(['', ' ', '\n\t'])(
		'refuses %j as a name: it would rename the form to nothing',
		(name) => {
			expect(checkSettings({ name })).toMatchObject({ body: {}, problems: [{ setting: 'name' }] });
		},
	);

	it('sends a name without the blanks around it', () => {
		const name = ` ${'x'.repeat(255)}\n`;
		expect(checkSettings({ name }).body).toEqual({ name: 'x'.repeat(255) });
	});

	it('never sends a value together with a problem about it, and never drops a setting silently', () => {
		const name = fc.constantFrom(...settings.map((setting) => setting.name), 'nope');
		const value = fc.oneof(fc.anything(), fc.integer(), fc.string(), fc.boolean(), fc.webUrl());
		fc.assert(
			fc.property(fc.dictionary(name, value), fc.uniqueArray(name), (values, clear) => {
				const { body, problems } = checkSettings(values, clear);
				const asked = new Set([
					...Object.keys(values).filter((key) => values[key] !== undefined),
					...clear,
				]);
				const answered = [...Object.keys(body), ...problems.map(({ setting }) => setting)];
				expect(answered.toSorted()).toEqual([...asked].toSorted());
			}),
		);
	});
});
