import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { presentToModel } from '../../../nodes/FormService/operations/forModel.ts';

type Result = Array<{ json: IDataObject }>;

const items = fc.array(
	fc.integer({ min: 0, max: 60_000 }).map((length) => ({ json: { text: 'x'.repeat(length) } })),
	{ maxLength: 30 },
);

/** What a model gets of a listing's page. */
const pageOf = (all: Result, skip = 0, limit = Infinity) =>
	presentToModel({ items: all.slice(skip, skip + limit), skip, total: all.length }, undefined);

const noticeOf = (page: Result) => String(page.at(-1)?.json.notice ?? '');
const resultsOf = (page: Result) => page.filter(({ json }) => json.notice === undefined);

describe('what a model gets of a listing', () => {
	it('is all of a short one, without a notice', () => {
		const few = [{ json: { id: 1 } }, { json: { id: 2 } }];
		expect(pageOf(few)).toEqual(few);
		expect(pageOf([])).toEqual([]);
	});

	it('says that there are no more where Skip leads beyond the end', () => {
		expect(noticeOf(pageOf([{ json: {} }], 3))).toBe('No results of 1.');
	});

	it('is the start of a result that is too long, and says so', () => {
		const [result, notice] = pageOf([{ json: { text: 'x'.repeat(20_001) } }]);
		expect(result.json).toEqual({ start: `{"text":"${'x'.repeat(9_991)}` });
		expect(notice.json).toEqual({
			notice: 'Result 1 was too long. Only its start is shown, as text.',
		});
	});

	it('is never longer than a model can use, however long its results are', () => {
		fc.assert(
			fc.property(items, (all) => {
				expect(JSON.stringify(pageOf(all)).length).toBeLessThan(21_000);
			}),
		);
	});

	it('is never longer than a model can use, whatever a result is made of', () => {
		const anything = fc.object({ maxDepth: 3, maxKeys: 5, key: fc.string({ maxLength: 30_000 }) });
		fc.assert(
			fc.property(anything, (json) => {
				const result = presentToModel([{ json: json as IDataObject }], undefined);
				expect(JSON.stringify(result).length).toBeLessThan(21_000);
			}),
			{ numRuns: 50 },
		);
	});

	it('is every result once, page by page, as its notice says', () => {
		const short = fc.array(
			fc.integer({ min: 0, max: 15_000 }).map((length) => ({ json: { text: 'x'.repeat(length) } })),
			{ maxLength: 30 },
		);
		fc.assert(
			fc.property(short, fc.integer({ min: 1, max: 10 }), (all, limit) => {
				const read: unknown[] = [];
				for (let skip: number | undefined = 0; skip !== undefined; ) {
					const page: Result = pageOf(all, skip, limit);
					read.push(...resultsOf(page));
					const next = /Set 'Skip' to (\d+)/.exec(noticeOf(page));
					skip = next ? Number(next[1]) : undefined;
				}
				expect(read).toEqual(all);
			}),
		);
	});
});

describe('the selected fields of a result', () => {
	const json = {
		uuid: 'u1',
		owner: { email: 'ada@example.com' },
		answers: { 'What, e.g. [one]?': 'That', 'a.b': 'dotted' },
	};

	it.each([
		['What, e.g. [one]?', 'That'],
		['answers.What, e.g. [one]?', 'That'],
		['a.b', 'dotted'],
		['answers.a.b', 'dotted'],
		['owner.email', 'ada@example.com'],
	])('are found by their very names: %s', (name, value) => {
		expect(presentToModel([{ json }], [name])).toEqual([{ json: { uuid: 'u1', [name]: value } }]);
	});
});
