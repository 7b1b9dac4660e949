import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareSettings } from '../../../../nodes/FormService/settings/values.ts';
import { summarizeUpdate } from '../../../../nodes/FormService/resources/setting/summary.ts';

const long = 'x'.repeat(60);

it.each<[unknown, unknown, string]>([
	['Old', 'New', 'Old → New'],
	[null, 'New', 'empty → New'],
	[undefined, 'New', 'New'],
	['Old', ' \u200b\n', 'Old → empty'],
	[`${long}1`, `${long}2`, `…${'x'.repeat(10)}1 → …${'x'.repeat(10)}2`],
	['a  b', 'a b', 'a \\u0020b → a b'],
	['a\u00a0b', 'a b', 'a\\u00a0b → a b'],
	['a\nb', 'a b', 'a\\u000ab → a b'],
	['a\u200bb', 'ab', 'a\u200bb → ab'],
])('A change from %j to %j is shown as %s', (from, to, text) => {
	const summary = summarizeUpdate({ closed_message: { from, to } as never }, []);
	expect(summary).toBe(`Closed: Message: ${text}`);
});

it('No summary shows the same text twice', () => {
	const text = fc.string({
		unit: fc.constantFrom('a', ' ', '\n', '\u00a0', '\u200b', 'é', 'e\u0301'),
		maxLength: 60,
	});
	fc.assert(
		fc.property(text, text, (from, to) => {
			const changes = compareSettings({ closed_message: to }, { closed_message: from });
			const [before, after] = summarizeUpdate(changes, [])
				.replace('Closed: Message: ', '')
				.split(' → ');
			expect(before).not.toBe(after);
		}),
	);
});
