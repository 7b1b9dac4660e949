import fc from 'fast-check';
import { sumBy } from 'lodash';
import { describe, expect, it } from 'vitest';
import {
	addPage,
	getRecords,
	UNREAD_LIST,
	type ListState,
} from '../../../../nodes/FormService/api/replies/completeness.ts';

type Page = Parameters<typeof addPage>[1];

/** Adds a page whose address does not matter to a list that is not finished. */
const add = (
	state: ListState,
	{ isLast, ...page }: Pick<Page, 'records' | 'total' | 'isNumbered'> & { isLast: boolean },
) => {
	const recordsBefore = sumBy(state.passPages, 'records.length');
	const position = { url: '', pagesBefore: state.passPages.length, recordsBefore };
	const nextPage: Page['nextPage'] = isLast ? { kind: 'none' } : { kind: 'page', position };
	return addPage(state, { ...position, ...page, sentAtMs: 0, nextPage });
};

const describeStatus = ({ status }: ListState) =>
	typeof status === 'string' ? status : 'incomplete';

/** Reads pages such as `ab 4`: the records a and b, and the announced number 4. `|` ends a list. */
function read(pages: string, isNumbered = true) {
	let state: ListState = UNREAD_LIST;
	for (const list of pages.split('|')) {
		const texts = list.trim().split(', ');
		for (const [index, text] of texts.entries()) {
			const [letters, total] = text.split(' ');
			const records = [...letters.replace('-', '')].map((uuid) => ({ uuid }));
			const isLast = index === texts.length - 1;
			const announced = total ? Number(total) : undefined;
			state = add(state, { records, total: announced, isNumbered, isLast });
		}
	}
	const found = getRecords(state).map(({ uuid }) => uuid);
	return { last: describeStatus(state), found: found.join('') };
}

describe('Whether a list is complete', () => {
	it.each([
		['without repeats', 'ab, cd', 'complete', 'abcd'],
		['an empty list', '-', 'complete', ''],
		['with the announced number', 'ab 3, c 3', 'complete', 'abc'],
		['a number of the page alone, as no page has more', 'ab, cd, e', 'complete', 'abcde'],
		['a number that is too small', 'ab 3, cd 3', 'complete', 'abcd'],
		['a repeat, and the missing record in the next state', 'ab 4, bd 4 | ac 4', 'complete', 'acbd'],
		['a repeat without a number', 'ab, bd | ab, cd', 'complete', 'abcd'],
		['repeats without a number', 'ab, bd | ae, ef | ab, be', 'incomplete', 'abefd'],
		['a repeat and the new record at the front', 'ab 3, bc 4 | na 4', 'complete', 'nabc'],
		['a repeat in each state', 'ab 4, bd 4 | ab 4, bd 4 | ab 4, bd 4', 'incomplete', 'abd'],
		['a record that is added to a list with cursors', 'ab 3, c 4 | na 4', 'complete', 'nabc'],
		['a deleted record', 'ab 4, d 3 | bc 3, d 3', 'complete', 'bcd'],
		['a deleted record between two readings', 'ab 4, bd 4 | bc 3, d 3', 'complete', 'bcd'],
		['one before the last reading', 'ab 4, bc 4 | ab 4, bc 4 | ab 3, c 3', 'complete', 'abc'],
		['deletions in each state', 'ab 4, d 3 | bc 3, - 2 | cd 2, - 1', 'incomplete', ''],
		['one record twice on a page', 'aa 2', 'complete', 'aa'],
	])('%s', (_, pages, last, found) => {
		expect(read(pages)).toEqual({ last, found });
	});

	it.each([
		['a cursor without repeats', 'ab, cd', 'complete', 'abcd'],
		['a cursor with repeats', 'ab, bc | ad, de | ab, be', 'incomplete', 'abedc'],
		['a cursor with repeats, then without', 'ab, bd | ab, cd', 'complete', 'abcd'],
		['a cursor with repeats, and the announced number', 'ab 4, bd 4 | ac 4', 'complete', 'acbd'],
	])('%s', (_, pages, last, found) => {
		expect(read(pages, false)).toEqual({ last, found });
	});

	it('counts equal records without an identity as different ones', () => {
		const page = { records: [{ type: 'divider' }], isNumbered: true, isLast: false };
		const state = add(UNREAD_LIST, page);
		expect(state.status).toBe('unfinished');
		const last = add(state, { ...page, isLast: true });
		expect([last.status, getRecords(last).length]).toEqual(['complete', 2]);
	});

	it('keeps a record on two pages as its later page has it', () => {
		const page = { isNumbered: true, isLast: false };
		const state = add(UNREAD_LIST, { ...page, records: [{ uuid: 'a', number: 1 }] });
		const last = add(state, {
			...page,
			records: [{ uuid: 'a', number: 2 }],
			isLast: true,
		});
		expect(getRecords(last)).toEqual([{ uuid: 'a', number: 2 }]);
	});

	it('leaves an earlier state unchanged, so that callers can share it', () => {
		const page = { isNumbered: true, isLast: false };
		const state = add(UNREAD_LIST, { ...page, records: [{ uuid: 'a' }] });
		const before = structuredClone(state);
		add(state, { ...page, records: [{ uuid: 'b' }], isLast: true });
		expect(state).toEqual(before);
	});
});

type Change = 'none' | 'add' | 'delete';

/** Reads a list whose ties are shuffled at each request, and which can change before each request. */
function simulate(options: {
	count: number;
	ties: number;
	pageSize: number;
	hasTotal: boolean;
	isShuffled: boolean;
	newestFirst: boolean;
	changes: Change[];
	dice: number[];
}) {
	const { ties, pageSize, hasTotal, isShuffled, newestFirst } = options;
	const dice = [...options.dice];
	const roll = (sides: number) => {
		const die = dice.shift() ?? 0;
		dice.push((die * 31 + 7) % 9973);
		return die % sides;
	};
	let listed = Array.from({ length: options.count }, (_, id) => ({
		id,
		time: Math.floor(id / ties),
	}));
	const throughout = new Set(listed.map(({ id }) => String(id)));
	let nextId = options.count;
	let state: ListState = UNREAD_LIST;
	for (let request = 0; request < 300; request++) {
		const change = request === 0 ? 'none' : (options.changes[request - 1] ?? 'none');
		if (change === 'add') listed.push({ id: nextId++, time: 1_000_000 });
		if (change === 'delete' && listed.length > 0) {
			const [{ id }] = listed.splice(roll(listed.length), 1);
			throughout.delete(String(id));
		}
		const keyed = listed.map((entry) => ({ ...entry, tie: isShuffled ? roll(9973) : entry.id }));
		keyed.sort((a, b) => a.time - b.time || a.tie - b.tie);
		if (newestFirst) keyed.reverse();
		const end = (state.passPages.length + 1) * pageSize;
		const records = keyed.slice(end - pageSize, end).map(({ id }) => ({ id: String(id) }));
		const isLast = end >= keyed.length;
		const total = hasTotal ? keyed.length : undefined;
		state = add(state, { records, total, isNumbered: true, isLast });
		const status = describeStatus(state);
		const found = new Set(getRecords(state).map(({ id }) => id));
		const missing = [...throughout].filter((id) => !found.has(id));
		if (status !== 'unfinished') return { status, missing: status === 'complete' ? missing : [] };
	}
	throw new Error('It reads without end');
}

describe('A list whose pages shift', () => {
	const shape = {
		count: fc.integer({ min: 0, max: 30 }),
		ties: fc.integer({ min: 1, max: 30 }),
		pageSize: fc.integer({ min: 1, max: 8 }),
		newestFirst: fc.boolean(),
		dice: fc.array(fc.integer({ min: 0, max: 9972 }), { minLength: 5, maxLength: 60 }),
	};
	const changesOf = (...kinds: Change[]) => fc.array(fc.constantFrom(...kinds), { maxLength: 40 });

	it.each([
		[
			'ties shuffled, additions and deletions, with a number',
			true,
			true,
			changesOf('none', 'none', 'add', 'delete'),
		],
		[
			'ties shuffled and additions, without a number',
			false,
			true,
			changesOf('none', 'none', 'add'),
		],
		['additions, without a number', false, false, changesOf('none', 'add')],
	])(
		'has all records that existed throughout, or is an error: %s',
		(_, hasTotal, isShuffled, changes) => {
			const property = fc.property(fc.record({ ...shape, changes }), (given) => {
				const { missing } = simulate({ ...given, hasTotal, isShuffled });
				expect(missing).toEqual([]);
			});
			fc.assert(property, { numRuns: 2000 });
		},
	);

	it('is complete after one more request if a response was added meanwhile', () => {
		const given = { count: 1000, ties: 1, pageSize: 15, newestFirst: true, dice: [1] };
		const changes: Change[] = ['none', 'none', 'add'];
		const result = simulate({ ...given, changes, hasTotal: true, isShuffled: false });
		expect(result).toEqual({ status: 'complete', missing: [] });
	});
});
