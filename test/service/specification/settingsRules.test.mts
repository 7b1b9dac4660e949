import { describe, expect, it } from 'vitest';
import { checkSettings, defaultSettings, settingRules } from './settingsRules.mts';
import { serviceForTest } from '../testClient.mts';

/** Section 2.5 once more, typed from its table: what is taken and what is not. */
const long = (length: number) => 'ä'.repeat(length);
const url = (length: number) => `https://example.com/${'a'.repeat(length - 20)}`;
const flag = { good: [true, false, 0, 1], bad: [null, 2, -1, 'true', '1', '', [], {}] };
const text = { good: ['', 'text', '<p>HTML</p>', null, long(20_000)], bad: [1, true, [], {}] };
const bounded = (max: number) => ({
	good: ['', long(max), '😀'.repeat(max), null],
	bad: [long(max + 1), 1, false, []],
});

const table: Record<string, { good: unknown[]; bad: unknown[] }> = {
	admin_email_attach_pdf: flag,
	admin_email_note: text,
	admin_email_subject: bounded(255),
	after_message: text,
	after_message_email: text,
	after_message_email_subject: bounded(255),
	after_redirect_delay: { good: [0, 60, 7, null], bad: [-1, 61, 1.5, '5', true] },
	after_redirect_url: {
		good: ['https://example.com', 'http://127.0.0.1:1/a?b#c', url(500), null],
		bad: ['', 'example.com', '/path', 'https://', url(501), 5, false],
	},
	ai_summary_enabled: flag,
	captcha: {
		good: ['altcha', 'turnstile', 'recaptcha', 'none', null],
		bad: ['', 'Altcha', 'hcaptcha', 1, true],
	},
	capture_location: flag,
	closed_message: text,
	cta_label: bounded(100),
	cta_label_continue: bounded(100),
	description: bounded(1000),
	discord_enabled: flag,
	google_sheets_enabled: flag,
	hubspot_enabled: flag,
	include_response_in_email: flag,
	is_closed: flag,
	name: { good: ['Name', long(255)], bad: [null, long(256), 1, false] },
	number_prefix: bounded(10),
	number_suffix: bounded(10),
	responses_limit: { good: [1, 1_000_000, null], bad: [0, -1, 1.5, '1', true] },
	send_pdf_to_respondent: flag,
	seo_allow_bots: flag,
	seo_description: bounded(500),
	seo_title: bounded(255),
	show_formtitle: flag,
	show_multipage_progress: flag,
	slack_enabled: flag,
};

describe('the settings of section 2.5', () => {
	it('are those of the table, and no others', () => {
		expect(Object.keys(settingRules)).toEqual(Object.keys(table));
	});

	it('all have a value in a new form, and one that is allowed', () => {
		const settings = defaultSettings('New');
		expect(Object.keys(settings).toSorted()).toEqual(Object.keys(table).toSorted());
		expect(checkSettings(settings).ok).toBe(true);
	});

	it.each(Object.entries(table))(
		'%s takes every value up to its bounds, and none beyond',
		(name, values) => {
			for (const value of values.good) {
				expect(checkSettings({ [name]: value })).toMatchObject({ ok: true });
			}
			for (const value of values.bad) {
				const check = checkSettings({ [name]: value });
				expect(check, JSON.stringify(value)?.slice(0, 50)).toMatchObject({ ok: false });
				expect(check).toHaveProperty(['errors', name, 0], expect.stringContaining(name));
			}
		},
	);

	it.each(['id', 'fields', 'slug', 'track_incomplete', 'toString', '__proto__'])(
		'do not include %s',
		(name) => {
			expect(checkSettings(JSON.parse(`{"${name}": "x"}`)).ok).toBe(false);
		},
	);
});

describe('POST /forms/{id}/settings', () => {
	it('confirms with id, name and time of the update, as section 4 shows it', async () => {
		const { service, post } = await serviceForTest({ now: () => Date.UTC(2026, 10, 21, 9) });
		const form = service.store.addForm({ name: 'Before' });
		const { status, body } = await post(`/forms/${form.id}/settings`, { name: 'After' });
		expect(status).toBe(200);
		expect(body).toEqual({
			success: true,
			message: expect.any(String),
			data: { id: form.id, name: 'After', updated_at: '2026-11-21T09:00:00.000000Z' },
		});
	});

	it('keeps every good value and gives it back in the listing, 0 and 1 as booleans', async () => {
		const { service, get, post } = await serviceForTest({ seed: false, perMinute: 10_000 });
		const form = service.store.addForm({ name: 'Form' });
		for (const [name, { good }] of Object.entries(table)) {
			for (const value of good) {
				const { status } = await post(`/forms/${form.id}/settings`, { [name]: value });
				const { body } = await get('/forms');
				const expected = table[name] === flag ? Boolean(value) : value;
				expect([name, status, body.data[0][name]]).toEqual([name, 200, expected]);
			}
		}
	});

	it('takes any subset, also an empty one, and leaves the others as they are', async () => {
		const { service, post } = await serviceForTest();
		const form = service.store.addForm({ name: 'Form', settings: { cta_label: 'Go' } });
		await post(`/forms/${form.id}/settings`, { is_closed: 1, closed_message: 'Closed' });
		expect((await post(`/forms/${form.id}/settings`, {})).status).toBe(200);
		expect(service.store.form(form.id)?.settings).toMatchObject({
			name: 'Form',
			cta_label: 'Go',
			is_closed: true,
			closed_message: 'Closed',
		});
	});

	it('refuses the whole update with 400 and a message for each setting when one is wrong', async () => {
		const { service, post } = await serviceForTest();
		const form = service.store.addForm({ name: 'Form' });
		const { status, body } = await post(`/forms/${form.id}/settings`, {
			cta_label: 'New',
			after_redirect_delay: 61,
			color: 'red',
		});
		expect(status).toBe(400);
		expect(body).toEqual({
			success: false,
			message: 'The after_redirect_delay setting must not be greater than 60. (and 1 more error)',
			errors: {
				after_redirect_delay: ['The after_redirect_delay setting must not be greater than 60.'],
				color: ['The color setting cannot be updated.'],
			},
		});
		expect(service.store.form(form.id)?.settings.cta_label).toBeNull();
	});
});
