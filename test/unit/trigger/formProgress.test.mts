import { expect, it } from 'vitest';
import {
	computeNextForm,
	type DeliveredPages,
} from '../../../nodes/FormService/trigger/formProgress.ts';
import { FIRST_PAGE } from '../../../nodes/FormService/trigger/readPages.ts';
import type { FormState } from '../../../nodes/FormService/trigger/triggerState.ts';

const NOW_MS = Date.UTC(2026, 10, 29);
const baseline = { sinceMs: NOW_MS };

const URL = 'https://forms.example.com/api/v1/responses/form';

/** A first pass of one page with these records, all of which are delivered or known. */
function createPass(ids: string[], total?: number): DeliveredPages {
	const records = ids.map((id) => ({ id }));
	return {
		reading: { formId: 'form', kind: 'pass', from: FIRST_PAGE, maxPages: 1 },
		form: { baseline },
		pages: [{ url: URL, records, ids, total, sentAtMs: NOW_MS }],
		requests: 1,
		events: new Map(),
		updates: new Map(ids.map((id) => [id, 'c'])),
		isOver: true,
		items: [],
		undelivered: [],
	};
}

const computeNext = (read: DeliveredPages) => computeNextForm(read, NOW_MS, NOW_MS);

it.each<[string, string[], number | undefined, boolean]>([
	['has all records that it announces', ['a', 'b'], 2, true],
	['announces no number', ['a', 'b'], undefined, true],
	['announces one more record', ['a', 'b'], 3, false],
	['has a record twice', ['a', 'b', 'b'], undefined, false],
	['is empty', [], 0, false],
])('If a list %s, its creation times decide no longer or still', (_text, ids, total, isProved) => {
	const { baseline: after } = computeNext(createPass(ids, total));
	expect(after).toBe(isProved ? undefined : baseline);
});

it('A search whose later page fails begins again at the first page, where new responses are', () => {
	const { form, ...pass } = createPass(['a']);
	const search = { order: 'newestFirst', page: '?page=2', searchedAtMs: 0 } as const;
	const reading = { formId: 'form', kind: 'search', from: '?page=2', maxPages: 9 } as const;
	const [page] = pass.pages;
	for (const pages of [[], [{ ...page, nextUrl: `${URL}?page=3` }]]) {
		const failed = { ...pass, reading, pages, isOver: false, error: new Error('failed') };
		const { progress } = computeNext({ ...failed, form: { ...form, progress: { search } } });
		expect(progress?.search?.page).toBe(FIRST_PAGE);
	}
});

it('A pass starts over if its page has failed three times in a row', () => {
	const reading = { formId: 'form', kind: 'pass', from: '?page=2', maxPages: 1 } as const;
	const pass = { page: '?page=2', failures: 0, recordCount: 1, newest: {}, isFirst: false };
	let form: FormState = { seen: new Map(), progress: { pass } };
	for (const page of ['?page=2', '?page=2', undefined]) {
		form = computeNext({ ...createPass([]), reading, form, pages: [], error: new Error('failed') });
		expect(form.progress?.pass?.page).toBe(page);
	}
});

it('A page that is read again because an event had no room counts once', () => {
	const read = createPass(['a']);
	const event = {
		event: 'responseCompleted',
		record: {},
		id: 'a',
		seenAfter: 'c',
		pageIndex: 0,
	} as const;
	const form = computeNext({ ...read, updates: new Map(), undelivered: [event] });
	expect(form.baseline).toBe(baseline);
	expect(computeNext({ ...read, form }).baseline).toBeUndefined();
});

const at = (created_at: string, number?: number) => ({ created_at, number });

it.each<[string, ReturnType<typeof at>[], ReturnType<typeof at>[], string]>([
	['later times', [at('2026-01-01')], [at('2026-01-02')], 'oldestFirst'],
	['earlier times', [at('2026-01-02')], [at('2026-01-01')], 'newestFirst'],
	['the same time and higher numbers', [at('2026-01-01', 1)], [at('2026-01-01', 2)], 'oldestFirst'],
	// a response without a number has a time
	['earlier times', [at('2026-01-03', 5)], [at('2026-01-01', 3), at('2026-01-02')], 'newestFirst'],
	// an import with an old time
	['later times', [at('2026-01-01')], [at('2026-01-02'), at('2020-01-01')], 'oldestFirst'],
])('A last page with %s than the first one tells the order', (_text, first, last, order) => {
	const pass = createPass([]);
	const [page] = pass.pages;
	const pages = [
		{ ...page, nextUrl: `${URL}?page=2`, records: first },
		{ ...page, url: `${URL}?page=2`, records: last },
	];
	expect(computeNext({ ...pass, pages }).progress?.search?.order).toBe(order);
});
