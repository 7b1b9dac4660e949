import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anonymize } from '../../../scripts/probe/recording.mts';

/** A source of chance that is the same in each run of a test. */
function createRandom(seed = 1) {
	let state = seed;
	return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

function record(body: unknown, path = '/forms', seed = 1) {
	return anonymize([{ path, status: 200, headers: {}, body }], createRandom(seed))[0];
}

const textsIn = (value: unknown): string[] =>
	typeof value === 'string'
		? [value]
		: typeof value === 'object' && value !== null
			? Object.entries(value).flatMap(([name, entry]) => [name, ...textsIn(entry)])
			: [];

describe('a recording', () => {
	it('has no letter or digit of a private text where it was', () => {
		const texts = fc
			.stringMatching(/^[A-Za-z0-9äöüß ]{6,30}$/)
			.filter((text) => /\w{5}/.test(text));
		const property = fc.property(texts, fc.integer({ min: 1, max: 1e9 }), (text, seed) => {
			const answers = [
				{ key: text, value: text },
				{ key: 'x', value: [text, { [text]: text }] },
			];
			const body = {
				data: [
					{
						uuid: 'a',
						name: text,
						url: `https://${text.replaceAll(/\W/g, '')}.de/${encodeURIComponent(text)}`,
						answers,
					},
				],
			};
			const found = textsIn(record(body, `/forms?q=${encodeURIComponent(text)}`, seed));
			expect(found.filter((one) => one.includes(text))).toEqual([]);
		});
		fc.assert(property);
	});

	it('keeps the pattern and the length of each text, and gives equal texts equal ones', () => {
		const { body } = record([
			{ answer: 'Ada L. 42!' },
			{ answer: 'Ada L. 42!' },
			{ answer: 'Eva' },
		]);
		const [first, second, third] = textsIn(body).filter((text) => !/^\d$|answer/.test(text));
		expect(first).toMatch(/^[A-Z][a-z]{2} [A-Z]\. \d{2}!$/);
		expect(second).toBe(first);
		expect(third).toMatch(/^[A-Z][a-z]{2}$/);
	});

	it('gives each ID another one of its pattern, the same one in paths, links and records', () => {
		const uuid = '0b9d0f6e-5d8f-4c5c-9a55-2f8a3c1c7f10';
		const form = { id: 'Kt7mQa', url: 'https://forms.test/f/Kt7mQa' };
		const pdf = { pdf_url: `https://forms.test/pdf/${uuid}.pdf` };
		const [forms, link] = anonymize(
			[
				{ path: '/forms/Kt7mQa/fields', status: 200, headers: {}, body: [form, { uuid }] },
				{ path: `/response/${uuid.toUpperCase()}/pdf`, status: 200, headers: {}, body: pdf },
			],
			createRandom(),
		);
		const [{ id, url }, other] = forms.body as Array<Record<string, string>>;
		expect(id).toMatch(/^[A-Z][a-z]\d[a-z][A-Z][a-z]$/);
		expect(id).not.toBe(form.id);
		expect(forms.path).toBe(`/forms/${id}/fields`);
		expect(url).toMatch(new RegExp(`^https://example\\.com/\\w/${id}$`));
		expect(other.uuid).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
		expect(link.path).toBe(`/response/${other.uuid}/pdf`);
		expect(link.body).toEqual({ pdf_url: `https://example.com/pdf/${other.uuid}.pdf` });
	});

	it('names fields by number, in labels, answers and maps alike', () => {
		const fields = [{ label: 'Full name' }, { label: 'Age' }];
		const answers = { 'Full name': 'x', Age: 3 };
		const { body } = record({ fields, responses: [{ key: 'Age' }], answers });
		expect(body).toMatchObject({
			fields: [{ label: 'Label 1' }, { label: 'Label 2' }],
			responses: [{ key: 'Label 2' }],
			answers: { 'Label 1': expect.any(String), 'Label 2': expect.any(Number) },
		});
	});

	it('shifts all times by the same number of days, in their formats', () => {
		const { body } = record(['2026-03-04T10:00:00.000000Z', '2026-03-05', '2026-03-07 08:09']);
		const [time, day, local] = body as string[];
		expect(time).toMatch(/T10:00:00\.000000Z$/);
		expect(local).toMatch(/ 08:09$/);
		const days = [time, day, local].map((text) => Date.parse(text.slice(0, 10)) / 86_400_000);
		expect(days.map((one) => one - days[0])).toEqual([0, 1, 3]);
		expect(time < '2026-03-04').toBe(true);
	});

	it('keeps what says how replies are read: words, types, counters, pages and the names of files', () => {
		const body = {
			success: true,
			data: [{ type: 'multi_choice', number: 42, is_incomplete: 'false', value: 'Yes' }],
			links: { next: 'https://forms.test/api/v1/forms?page=2&per_page=50' },
			total: 99,
			value: 'cv of ada.pdf|https://files.test/ada/cv.pdf',
		};
		expect(record(body).body).toMatchObject({
			success: true,
			data: [{ type: 'multi_choice', number: 42, is_incomplete: 'false', value: 'Yes' }],
			links: { next: 'https://example.com/api/v1/forms?page=2&per_page=50' },
			total: 99,
			value: expect.stringMatching(
				/^\w\w \w\w \w{3}\.pdf\|https:\/\/example\.com\/\w{3}\/\w\w\.pdf$/,
			),
		});
	});

	it('has no header but those of types, links and limits', () => {
		const headers = { 'set-cookie': 'session=1', server: 'x', 'x-ratelimit-limit': '60' };
		const [reply] = anonymize([{ path: '/forms', status: 200, headers, body: {} }], createRandom());
		expect(reply.headers).toEqual({ 'x-ratelimit-limit': '60' });
	});
});
