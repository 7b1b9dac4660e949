import { expect, it } from 'vitest';
import { anonymize } from '../../../scripts/probe/recording.mts';

/** A source of chance that is the same in each run. */
let state = 1;
const random = () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;

const UUID = '0b9d0f6e-5d8f-4c5c-9a55-2f8a3c1c7f10';

it('a recording has nothing private, and equal values stay equal', () => {
	const field = {
		uuid: UUID,
		label: 'Name of Ada',
		type: 'multi_choice',
		options: ['Blue', 'Red'],
	};
	const file = 'cv of ada.pdf|https://files.test/ada/cv.pdf';
	const response = {
		...{
			uuid: 'Kt7mQa',
			id: 4711,
			number: 42,
			is_incomplete: 'false',
			created_at: '2026-03-04T10:00Z',
		},
		responses: [{ key: 'Name of Ada', value: ['Blue', 'yes', file] }],
		answers: { 'Name of Ada': 'Blue', [UUID]: 'ada@test.example' },
		pdf_url: `https://forms.test/pdf/Kt7mQa.pdf?to=Ada`,
	};
	const headers = { 'set-cookie': 'ada', 'x-ratelimit-limit': '60' };
	const next = 'https://forms.test/api/v1/forms?page=2';
	const body = { success: true, data: [field, response], links: { next }, total: 99 };
	const [recorded] = anonymize(
		[{ path: '/forms/4711/fields', status: 200, headers, body }],
		random,
	);
	expect(JSON.stringify(recorded)).not.toMatch(
		/ada|blue|red"|forms\.test|Kt7mQa|4711|2026-03-04|0b9d/i,
	);
	const { data, ...around } = recorded.body as { data: [typeof field, typeof response] };
	expect(around).toEqual({
		success: true,
		links: { next: next.replace('forms.test', 'example.com') },
		total: 99,
	});
	expect(recorded.headers).toEqual({ 'x-ratelimit-limit': '60' });
	const [{ uuid, label, type, options }, { id, ...other }] = data;
	expect({ label, type }).toEqual({
		label: expect.stringMatching(/^[A-Z][a-z]{3} [a-z]{2} [A-Z][a-z]{2}$/),
		type: 'multi_choice',
	});
	expect(recorded.path).toBe(`/forms/${id}/fields`);
	expect(other).toEqual({
		uuid: expect.stringMatching(/^[A-Z][a-z]\d[a-z][A-Z][a-z]$/),
		...{ number: 42, is_incomplete: 'false', created_at: expect.stringMatching(/T10:00Z$/) },
		responses: [
			{
				key: label,
				value: [options[0], 'yes', expect.stringMatching(/\|https:\/\/example\.com\//)],
			},
		],
		answers: { [label]: options[0], [uuid]: expect.stringMatching(/^\w{3}@\w{4}\.\w{7}$/) },
		pdf_url: expect.stringMatching(new RegExp(`^https://example\\.com/pdf/${other.uuid}\\.pdf\\?`)),
	});
});
