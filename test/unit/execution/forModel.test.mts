import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { selectForModel } from '../../../nodes/FormService/execution/forModel.ts';

type Result = Array<{ json: IDataObject }>;

/** What a model gets of a page of a listing. */
const pageOf = (all: Result, skip = 0, limit = Infinity) => selectForModel(all, { skip, limit });

const noticeOf = (page: Result) => String(page.at(-1)?.json.notice ?? '');

const texts = fc.array(
	fc.nat(15_000).map((length) => ({ json: { text: 'x'.repeat(length) } })),
	{ maxLength: 30 },
);

describe('A model gets of a listing', () => {
	it('a notice that there are no more, if Skip leads beyond the end', () => {
		expect(noticeOf(pageOf([{ json: {} }], 3))).toBe('0 of 1 results, after skipping 3.');
	});

	it('the start of a result that is too long', () => {
		const [result] = pageOf([{ json: { text: 'x'.repeat(20_001) } }]);
		expect(result.json).toEqual({ startOfResult: `{"text":"${'x'.repeat(9_991)}` });
	});

	it('every result once, page by page, as the notices say', () => {
		fc.assert(
			fc.property(texts, fc.integer({ min: 1, max: 10 }), (all, limit) => {
				const read: unknown[] = [];
				let skip: number | undefined = 0;
				// each page has a result, so a notice that leads back is not followed without end
				for (let pages = 0; skip !== undefined && pages <= all.length; pages++) {
					const page: Result = pageOf(all, skip, limit);
					expect(JSON.stringify(page).length).toBeLessThan(21_000);
					read.push(...page.filter(({ json }) => json.notice === undefined));
					const next = /Set 'Skip' to (\d+)/.exec(noticeOf(page));
					skip = next ? Number(next[1]) : undefined;
				}
				expect(read).toEqual(all);
			}),
		);
	});
});

it.each([
	['What, e.g. [one]?', 'That'],
	['a.b', 'dotted'],
	['owner.email', 'ada@example.com'],
])('The selected field %s is found by its name', (name, value) => {
	const answers = { 'What, e.g. [one]?': 'That', 'a.b': 'dotted' };
	const json = { uuid: 'u1', owner: { email: 'ada@example.com' }, answers };
	expect(selectForModel([{ json }], { names: [name], skip: 0 })).toEqual([
		{ json: { uuid: 'u1', [name]: value } },
	]);
});
