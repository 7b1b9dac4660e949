import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { PageRead } from '../../../nodes/FormService/api/replies/list.ts';
import type { Asked } from '../../../nodes/FormService/trigger/dependencies.ts';
import { diff, isIncomplete, type PollListing } from '../../../nodes/FormService/trigger/diff.ts';
import { edgeOf, type Edge } from '../../../nodes/FormService/trigger/edge.ts';
import type { KnownResponses } from '../../../nodes/FormService/trigger/knownResponses.ts';
import { DAY_MS } from '../../../nodes/FormService/trigger/schedule.ts';
import { ShortPoll } from '../../../nodes/FormService/trigger/shortPoll.ts';
import { node } from './polling.mts';

type Response = { uuid: string; number: number; is_incomplete: boolean };

/** A form whose listing comes in pages that say how many responses there are, in the order of `listed`. */
class Paged {
	listed: Response[] = [];
	requests = 0;
	/** Whether it gives all responses where the incomplete ones are asked for. */
	ignoresFilter = false;
	private count = 0;

	constructor(
		readonly side: Edge['side'],
		readonly pageSize: number,
	) {}

	arrive(at: number, isIncomplete = false): Response {
		const number = (this.count += 1);
		const response = { uuid: `response-${number}`, number, is_incomplete: isIncomplete };
		this.listed.splice(at, 0, response);
		return response;
	}

	arriveAtEdge(isIncomplete = false): Response {
		return this.arrive(this.side === 'first' ? 0 : this.listed.length, isIncomplete);
	}

	async list({
		from,
		isEnough,
		isIncomplete: isFiltered,
	}: Asked): Promise<Required<Pick<PollListing, 'pages'>> & PollListing> {
		const all = this.listed.filter((one) => !isFiltered || this.ignoresFilter || one.is_incomplete);
		const total = all.length;
		const records: IDataObject[] = [];
		const pages: PageRead[] = [];
		for (let received = from?.received ?? 0; ; received += this.pageSize) {
			this.requests += 1;
			const shown = all.slice(received, received + this.pageSize).map((one) => ({ ...one }));
			const place = { url: `?offset=${received}`, pages: received / this.pageSize, received };
			pages.push({ ...place, shown: shown.length, total, isNumbered: true });
			records.push(...shown);
			if (received + this.pageSize >= total) return { records, pages, complete: true };
			const isCut = await isEnough?.({ records, pages, complete: false });
			if (isCut) return { records, pages, complete: false };
		}
	}

	/** Reads all pages: what is known after it, and the edge. */
	async readWhole(before?: KnownResponses): Promise<{ known: KnownResponses; edge: Edge }> {
		const listing = await this.list({});
		const rules = { node, events: [], abandonedAfterMs: DAY_MS, now: 0 };
		const known = diff(before, listing, rules).after([]);
		const side = { side: this.side } as Edge;
		return { known, edge: edgeOf(listing, known, side)! };
	}

	/** A short look that may not go on to all pages. */
	async look(paged: {
		known: KnownResponses;
		edge: Edge;
	}): Promise<PollListing & { requests: number }> {
		this.requests = 0;
		const list = async (asked: Asked) => await this.list(asked);
		const asking = { list, goOn: () => true, mayBeWhole: () => false };
		const listing = await new ShortPoll(paged, asking).read();
		return { ...listing, requests: this.requests };
	}
}

const isProven = ({ short }: PollListing) => short?.edge?.isDoubtful === false;

type Change = { kind: 'new' | 'arrive' | 'leave' | 'complete' | 'reopen'; at: number };

function happen(form: Paged, { kind, at }: Change): void {
	const isNew = kind === 'new' || form.listed.length === 0;
	const index = at % Math.max(1, form.listed.length);
	if (isNew) form.arriveAtEdge(at % 3 === 0);
	else if (kind === 'arrive') form.arrive(index, at % 3 === 0);
	else if (kind === 'leave') form.listed.splice(index, 1);
	else form.listed[index].is_incomplete = kind === 'reopen';
}

const change = fc.record<Change>({
	kind: fc.constantFrom('new', 'new', 'arrive', 'leave', 'complete', 'reopen'),
	at: fc.nat({ max: 1_000 }),
});

const forms = fc.record({
	side: fc.constantFrom<Edge['side']>('first', 'last'),
	pageSize: fc.integer({ min: 1, max: 5 }),
	incomplete: fc.array(fc.boolean(), { minLength: 15, maxLength: 30 }),
	changes: fc.array(change, { maxLength: 6 }),
});

type Given = { side: Edge['side']; pageSize: number; incomplete: readonly boolean[] };

/** A form that was read whole, and what it had then. */
async function beginWith({ side, pageSize, incomplete }: Given) {
	const form = new Paged(side, pageSize);
	for (const one of incomplete) form.arriveAtEdge(one);
	return { form, paged: await form.readWhole(), before: structuredClone(form.listed) };
}

/** What a look did not show, of what there is now and was not before, and the other way round. */
function unseen(
	before: readonly Response[],
	now: readonly Response[],
	seen: readonly IDataObject[],
) {
	const shown = new Set(seen.map(({ uuid }) => uuid));
	const idsOf = (all: readonly Response[]) => new Set(all.map(({ uuid }) => uuid));
	const [old, present] = [idsOf(before), idsOf(now)];
	const stays = now.filter(({ uuid }) => old.has(uuid) && !shown.has(uuid));
	const wasIncomplete = new Set(before.filter(isIncomplete).map(({ uuid }) => uuid));
	return {
		arrived: now.filter(({ uuid }) => !old.has(uuid) && !shown.has(uuid)),
		left: before.filter(({ uuid }) => !present.has(uuid)),
		completed: stays.filter((one) => !one.is_incomplete && wasIncomplete.has(one.uuid)),
		reopened: now.filter((one) => one.is_incomplete && !wasIncomplete.has(one.uuid)),
	};
}

describe('What a short look has proven', () => {
	it('hides no response that came, unless as many have left elsewhere', async () => {
		await fc.assert(
			fc.asyncProperty(forms, async (given) => {
				const { form, paged, before } = await beginWith(given);
				for (const one of given.changes) happen(form, one);
				const look = await form.look(paged);
				if (!isProven(look)) return;
				const { arrived, left } = unseen(before, form.listed, look.records);
				expect(arrived).toHaveLength(left.length);
			}),
			{ numRuns: 3_000 },
		);
	});

	it('hides no completion, unless as many have become incomplete elsewhere', async () => {
		await fc.assert(
			fc.asyncProperty(forms, async (given) => {
				const { form, paged, before } = await beginWith(given);
				for (const one of given.changes) happen(form, one);
				const look = await form.look(paged);
				if (!isProven(look)) return;
				const { arrived, left, completed, reopened } = unseen(before, form.listed, look.records);
				const gone = completed.length + left.filter(isIncomplete).length;
				const came = reopened.length + arrived.filter(isIncomplete).length;
				const isAllShown = form.listed.filter(isIncomplete).length <= given.pageSize;
				if (isAllShown) expect(completed).toEqual([]);
				else expect(gone).toBeLessThanOrEqual(came);
			}),
			{ numRuns: 3_000 },
		);
	});

	it('holds for look after look', async () => {
		await fc.assert(
			fc.asyncProperty(
				forms,
				fc.array(fc.array(change, { maxLength: 2 })),
				async (given, looks) => {
					const { form, before, ...begun } = await beginWith(given);
					let { paged } = begun;
					const seen: IDataObject[] = [];
					for (const changes of looks) {
						for (const one of changes) happen(form, one);
						const look = await form.look(paged);
						if (!isProven(look)) return;
						seen.push(...look.records);
						const rules = { node, events: [], abandonedAfterMs: DAY_MS, now: 0 };
						paged = { known: diff(paged.known, look, rules).after([]), edge: look.short!.edge! };
					}
					const { arrived, left } = unseen(before, form.listed, seen);
					expect(arrived.length).toBeLessThanOrEqual(left.length);
				},
			),
		);
	});
});

describe.each(['first', 'last'] as const)(
	'Where new responses go to the %s page, a short look',
	(side) => {
		const begin = async (incomplete: readonly number[] = []) => {
			const form = new Paged(side, 5);
			for (let number = 1; number <= 23; number++) form.arriveAtEdge(incomplete.includes(number));
			return { form, paged: await form.readWhole() };
		};

		it('takes one request when nothing has happened, and proves it', async () => {
			const { form, paged } = await begin();
			const look = await form.look(paged);
			expect(isProven(look)).toBe(true);
			expect(look.requests).toBe(1);
		});

		it('goes on as long as all is new', async () => {
			const { form, paged } = await begin();
			const fresh = Array.from({ length: 9 }, () => form.arriveAtEdge().uuid);
			const look = await form.look(paged);
			expect(isProven(look)).toBe(true);
			expect(look.requests).toBe(side === 'first' ? 2 : 3);
			expect(look.records.map(({ uuid }) => uuid)).toEqual(expect.arrayContaining(fresh));
		});

		it('takes another request when a response on another page may have been completed', async () => {
			const { form, paged } = await begin([10]);
			const look = await form.look(paged);
			expect(isProven(look)).toBe(true);
			expect(look.requests).toBe(2);
			form.listed.find(({ number }) => number === 10)!.is_incomplete = false;
			expect(isProven(await form.look(paged))).toBe(false);
		});

		it('counts the incomplete ones where they fill more than a page', async () => {
			const many = [2, 4, 6, 8, 10, 12, 14];
			const { form, paged } = await begin(many);
			form.arriveAtEdge(true);
			expect(isProven(await form.look(paged))).toBe(true);
			form.listed.find(({ number }) => number === 10)!.is_incomplete = false;
			expect(isProven(await form.look(paged))).toBe(false);
		});

		it('counts those on its own page as they are now', async () => {
			const { form, paged } = await begin([2, 4, 6, 8, 10, 12, 23]);
			form.listed.find(({ number }) => number === 23)!.is_incomplete = false;
			expect(isProven(await form.look(paged))).toBe(true);
		});

		it('proves nothing while there is doubt', async () => {
			const { form, paged } = await begin();
			const edge = { ...paged.edge, isDoubtful: true };
			expect(isProven(await form.look({ ...paged, edge }))).toBe(false);
		});

		it('proves nothing by a service that gives all responses for the incomplete ones', async () => {
			const { form, paged } = await begin([10]);
			form.ignoresFilter = true;
			form.listed.find(({ number }) => number === 10)!.is_incomplete = false;
			form.listed.find(({ number }) => number === 22)!.is_incomplete = true;
			expect(isProven(await form.look(paged))).toBe(false);
		});

		it('sees a completion on its own page', async () => {
			const { form, paged } = await begin([23]);
			form.listed.find(({ number }) => number === 23)!.is_incomplete = false;
			const look = await form.look(paged);
			expect(isProven(look)).toBe(true);
			expect(look.requests).toBe(1);
			expect(look.records).toContainEqual({
				uuid: 'response-23',
				number: 23,
				is_incomplete: false,
			});
		});

		it.each<[string, (form: Paged) => void]>([
			['a response that has left', (form) => void form.listed.splice(11, 1)],
			[
				'one that has left its own page',
				(form) => {
					form.listed = form.listed.filter(({ number }) => number !== 22);
				},
			],
			['one that came in the middle', (form) => void form.arrive(11)],
			[
				'one that moved to its page',
				(form) => {
					const [moved] = form.listed.splice(11, 1);
					form.listed.splice(side === 'first' ? 0 : 22, 0, moved);
				},
			],
			['another order', (form) => void form.listed.reverse()],
		])('does not prove that nothing else has changed: %s', async (_text, happens) => {
			const { form, paged } = await begin();
			happens(form);
			const { uuid } = form.arriveAtEdge();
			const look = await form.look(paged);
			expect(isProven(look)).toBe(false);
			if (_text !== 'another order') expect(look.records.map((one) => one.uuid)).toContain(uuid);
		});

		it('does not see that one came in the middle while another left elsewhere', async () => {
			const { form, paged } = await begin();
			form.arrive(12);
			form.listed.splice(10, 1);
			expect(isProven(await form.look(paged))).toBe(true);
		});
	},
);

describe('The edge of a listing', () => {
	const listing = (records: IDataObject[], changes: Partial<PageRead> = {}) => ({
		records,
		pages: [0, 1, 2].map((page) => ({
			url: `?page=${page + 1}`,
			pages: page,
			received: 2 * page,
			shown: 2,
			total: 6,
			isNumbered: true,
			...changes,
		})),
	});
	const numbered = (numbers: number[]) => numbers.map((number) => ({ uuid: `${number}`, number }));
	const timed = (hours: number[]) =>
		hours.map((hour) => ({ uuid: `${hour}`, created_at: `2026-01-01T0${hour}:00:00Z` }));
	const rising = [1, 2, 3, 4, 5, 6];
	const sideOf = (records: IDataObject[]) => edgeOf(listing(records), undefined, undefined)?.side;

	it('is where the latest responses are', () => {
		expect(sideOf(numbered(rising))).toBe('last');
		expect(sideOf(numbered(rising.toReversed()))).toBe('first');
		expect(sideOf(timed(rising))).toBe('last');
		expect(sideOf(timed(rising.toReversed()))).toBe('first');
	});

	it('is not known in another order, or without times and numbers', () => {
		expect(sideOf(numbered([3, 1, 2, 6, 5, 4]))).toBeUndefined();
		expect(sideOf(rising.map((number) => ({ uuid: `${number}` })))).toBeUndefined();
	});

	it('is where the new responses are, whatever their times say', () => {
		const rules = { node, events: [], abandonedAfterMs: DAY_MS, now: 0 };
		const knownOf = (...uuids: number[]) => {
			const records = numbered(uuids);
			return diff(undefined, { records, complete: true }, rules).after([]);
		};
		const records = numbered([3, 1, 2, 6, 5, 4]);
		const edgeAfter = (...uuids: number[]) =>
			edgeOf(listing(records), knownOf(...uuids), undefined);
		expect(edgeAfter(1, 2, 6, 5, 4)?.side).toBe('first');
		expect(edgeAfter(3, 1, 2, 6)?.side).toBe('last');
		expect(edgeAfter(3, 1, 6, 5, 4)?.side).toBeUndefined();
	});

	it('is not known where the pages do not say how many responses there are', () => {
		const records = numbered(rising);
		for (const total of [undefined, 2, 7]) {
			expect(edgeOf(listing(records, { total }), undefined, undefined)).toBeUndefined();
		}
	});

	it('is the last page only where that can be asked for by itself', () => {
		const records = numbered(rising);
		expect(edgeOf(listing(records, { isNumbered: false }), undefined, undefined)).toBeUndefined();
		const newestFirst = listing(records.toReversed(), { isNumbered: false });
		expect(edgeOf(newestFirst, undefined, undefined)?.side).toBe('first');
	});
});
