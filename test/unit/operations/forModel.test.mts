import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pageOf } from '../../../nodes/FormService/operations/forModel.ts';

const items = fc.array(
	fc.integer({ min: 0, max: 15_000 }).map((length) => ({ json: { text: 'x'.repeat(length) } })),
	{ maxLength: 30 },
);

const noticeOf = (page: ReturnType<typeof pageOf>) => String(page.at(-1)?.json.notice ?? '');
const resultsOf = (page: ReturnType<typeof pageOf>) =>
	page.filter(({ json }) => json.notice === undefined);

describe('what a model gets of a listing', () => {
	it('is all of a short one, without a notice', () => {
		const few = [{ json: { id: 1 } }, { json: { id: 2 } }];
		expect(pageOf(few, {})).toEqual(few);
		expect(pageOf([], {})).toEqual([]);
	});

	it('says that there are no more where Skip leads beyond the end', () => {
		expect(noticeOf(pageOf([{ json: {} }], { skip: 3 }))).toBe('No results of 1.');
	});

	it('is never longer than a model can use, but for a single result', () => {
		fc.assert(
			fc.property(items, (all) => {
				const page = pageOf(all, {});
				expect(resultsOf(page).length <= 1 || JSON.stringify(page).length < 21_000).toBe(true);
			}),
		);
	});

	it('is every result once, page by page, as its notice says', () => {
		fc.assert(
			fc.property(items, fc.integer({ min: 1, max: 10 }), (all, limit) => {
				const read: unknown[] = [];
				for (let skip: number | undefined = 0; skip !== undefined; ) {
					const page = pageOf(all, { skip, limit });
					read.push(...resultsOf(page));
					const next = /Set 'Skip' to (\d+)/.exec(noticeOf(page));
					skip = next ? Number(next[1]) : undefined;
				}
				expect(read).toEqual(all);
			}),
		);
	});
});
