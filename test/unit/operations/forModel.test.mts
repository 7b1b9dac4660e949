import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { makeListing } from '../../../nodes/FormService/operations/operation.ts';
import { presentToModel } from '../../../nodes/FormService/operations/forModel.ts';

type Result = Array<{ json: IDataObject }>;

const items = fc.array(
	fc.integer({ min: 0, max: 60_000 }).map((length) => ({ json: { text: 'x'.repeat(length) } })),
	{ maxLength: 30 },
);

/** What a model gets of a listing's page. */
const pageOf = async (all: Result, skip = 0, limit = Infinity, names?: string[]) =>
	await presentToModel(
		makeListing(
			all.map(({ json }) => json),
			{ skip, limit, isCounted: true },
			(json) => ({ json }),
		),
		names,
	);

const noticeOf = (page: Result) => String(page.at(-1)?.json.notice ?? '');
const resultsOf = (page: Result) => page.filter(({ json }) => json.notice === undefined);

describe('what a model gets of a listing', () => {
	it('is all of a short one, without a notice', async () => {
		const few = [{ json: { id: 1 } }, { json: { id: 2 } }];
		expect(await pageOf(few)).toEqual(few);
		expect(await pageOf([])).toEqual([]);
	});

	it('says that there are no more where Skip leads beyond the end', async () => {
		expect(noticeOf(await pageOf([{ json: {} }], 3))).toBe('No results of 1.');
	});

	it('is never longer than a model can use, however long a result is', async () => {
		await fc.assert(
			fc.asyncProperty(items, async (all) => {
				expect(JSON.stringify(await pageOf(all)).length).toBeLessThan(21_000);
			}),
		);
	});

	it('is never longer than a model can use, whatever a result is made of', async () => {
		const anything = fc.object({ maxDepth: 3, maxKeys: 5, key: fc.string({ maxLength: 30_000 }) });
		await fc.assert(
			fc.asyncProperty(anything, async (json) => {
				const result = await presentToModel([{ json: json as IDataObject }], undefined);
				expect(JSON.stringify(result).length).toBeLessThan(21_000);
			}),
			{ numRuns: 50 },
		);
	});

	it('is every result once, page by page, as its notice says', async () => {
		const short = fc.array(
			fc.integer({ min: 0, max: 15_000 }).map((length) => ({ json: { text: 'x'.repeat(length) } })),
			{ maxLength: 30 },
		);
		await fc.assert(
			fc.asyncProperty(short, fc.integer({ min: 1, max: 10 }), async (all, limit) => {
				const read: unknown[] = [];
				for (let skip: number | undefined = 0; skip !== undefined; ) {
					const page: Result = await pageOf(all, skip, limit);
					read.push(...resultsOf(page));
					const next = /Set 'Skip' to (\d+)/.exec(noticeOf(page));
					skip = next ? Number(next[1]) : undefined;
				}
				expect(read).toEqual(all);
			}),
		);
	});

	it('makes no more items than it can use', async () => {
		let made = 0;
		async function* make() {
			for (; made < 1_000; made++)
				yield await Promise.resolve({ json: { text: 'x'.repeat(5_000) } });
		}
		await presentToModel({ items: make(), skip: 0, total: 1_000 }, undefined);
		expect(made).toBeLessThan(6);
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
	])('are found by their very names: %s', async (name, value) => {
		expect(await presentToModel([{ json }], [name])).toEqual([
			{ json: { uuid: 'u1', [name]: value } },
		]);
	});

	it('are reported if no result has them, with the names that there are', async () => {
		const [result, { json: said }] = await presentToModel([{ json }], ['owner', 'Emial']);
		expect(result.json).toEqual({ uuid: 'u1', owner: json.owner });
		expect(said.notice).toBe(
			'No result has "Emial". The fields of the results are: uuid, owner, answers, What, e.g. [one]?, a.b.',
		);
	});

	it('are not reported if some result has them', async () => {
		const all = [{ json }, { json: { uuid: 'u2', answers: {} } }];
		expect(await presentToModel(all, ['a.b'])).toHaveLength(2);
	});
});
