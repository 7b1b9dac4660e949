import { describe, expect, it } from 'vitest';
import { startForTest } from '../startForTest.mts';
import { checkSettings } from './settingsRules.mts';

const url = (length: number) => `https://example.com/${'a'.repeat(length - 20)}`;

/** Values of each kind of setting that section 2.5 accepts and rejects. */
const cases: Record<string, { good: unknown[]; bad: unknown[] }> = {
	is_closed: { good: [true, false, 0, 1], bad: [null, 2, 'true', ''] },
	after_message: { good: ['', '<p>HTML</p>', null], bad: [1, true] },
	number_prefix: { good: ['😀'.repeat(10), null], bad: ['a'.repeat(11)] },
	name: { good: ['ä'.repeat(255)], bad: [null, 'ä'.repeat(256)] },
	after_redirect_delay: { good: [0, 60, null], bad: [-1, 61, 1.5, '5'] },
	after_redirect_url: { good: [url(500), null], bad: ['', 'example.com', url(501)] },
	responses_limit: { good: [1, 1_000_000, null], bad: [0, '1'] },
	captcha: { good: ['altcha', 'none', null], bad: ['', 'hcaptcha'] },
};

describe('the settings (section 2.5)', () => {
	it.each(Object.entries(cases))('take values of %s up to its bounds', (name, { good, bad }) => {
		for (const value of good) expect(checkSettings({ [name]: value })).toMatchObject({ ok: true });
		for (const value of bad) expect(checkSettings({ [name]: value })).toMatchObject({ ok: false });
	});

	it('are updated all or not at all', async () => {
		const { service, post } = await startForTest();
		const { id } = service.store.addForm({ name: 'Before' });
		const path = `/forms/${id}/settings`;
		const refused = await post(path, { name: 'After', responses_limit: 0, color: 'red' });
		expect(refused).toMatchObject({ status: 400, body: { success: false } });
		expect(Object.keys(refused.body.errors)).toEqual(['responses_limit', 'color']);
		const { status, body } = await post(path, { name: 'Then', is_closed: 1 });
		expect([status, body.data.id, body.data.name]).toEqual([200, id, 'Then']);
		expect(service.store.form(id)?.settings).toMatchObject({ name: 'Then', is_closed: true });
	});
});
