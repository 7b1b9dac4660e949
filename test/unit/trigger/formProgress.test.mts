import { expect, it } from 'vitest';
import {
	computeNextForm,
	type ReadingResult,
} from '../../../nodes/FormService/trigger/formProgress.ts';
import { FIRST_PAGE } from '../../../nodes/FormService/trigger/readPages.ts';

const NOW_MS = Date.UTC(2026, 10, 29);
const baseline = { sinceMs: NOW_MS };

/** A first pass of one page with these records, all of which are delivered or known. */
function createPass(ids: string[], total?: number): ReadingResult {
	return {
		reading: { kind: 'pass', from: FIRST_PAGE, maxPages: 1 },
		form: { baseline },
		pages: [{ page: FIRST_PAGE, next: undefined, records: ids.map((id) => ({ id })), ids, total }],
		events: new Map(),
		updates: new Map(ids.map((id) => [id, 'c'])),
		isOver: true,
		undelivered: [],
		requests: 1,
		serviceMs: NOW_MS,
		nowMs: NOW_MS,
	};
}

it.each<[string, string[], number | undefined, boolean]>([
	['has all records that it announces', ['a', 'b'], 2, true],
	['announces no number', ['a', 'b'], undefined, true],
	['announces one more record', ['a', 'b'], 3, false],
	['has a record twice', ['a', 'b', 'b'], undefined, false],
	['is empty', [], 0, false],
])('If a list %s, its creation times decide no longer or still', (_text, ids, total, isProved) => {
	const { baseline: after } = computeNextForm(createPass(ids, total));
	expect(after).toBe(isProved ? undefined : baseline);
});

it('A search whose later page fails begins again at the first page, where new responses are', () => {
	const { form, ...pass } = createPass(['a']);
	const search = { order: 'newestFirst', page: '?page=2', searchedAtMs: 0 } as const;
	const reading = { kind: 'search', from: '?page=2', maxPages: 9 } as const;
	for (const pages of [[], pass.pages]) {
		const failed = { ...pass, reading, pages, isOver: false, error: new Error('failed') };
		const { progress } = computeNextForm({ ...failed, form: { ...form, progress: { search } } });
		expect(progress?.search?.page).toBe(FIRST_PAGE);
	}
});
