import fc from 'fast-check';
import type { IDataObject, INode } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	compare,
	knownAfter,
	type TriggerEvent,
} from '../../../nodes/FormService/trigger/compare.ts';
import {
	KnownResponses,
	REMEMBERED_DAYS,
} from '../../../nodes/FormService/trigger/knownResponses.ts';
import { DAY_MS, HOUR_MS } from '../../../nodes/FormService/trigger/schedule.ts';

const BOTH: TriggerEvent[] = ['responseCompleted', 'responseStarted'];
const nothing = new KnownResponses(0);
const node = { name: 'Trigger' } as INode;

const complete = (uuid: number): IDataObject => ({ uuid: String(uuid) });
const incomplete = (uuid: number, more: IDataObject = {}): IDataObject => ({
	uuid: String(uuid),
	is_incomplete: true,
	...more,
});

/** A response in a listing; few different ones, so that listings share them. */
const listing = fc.array(
	fc
		.tuple(fc.nat({ max: 12 }), fc.boolean())
		.map(([uuid, isOpen]) => (isOpen ? incomplete(uuid) : complete(uuid))),
	{ maxLength: 20 },
);

type Circumstances = {
	events?: TriggerEvent[];
	whole?: boolean;
	day?: number;
	hour?: number;
	since?: number;
};

/** One poll that delivers all it finds, as text; the first one of a form where nothing is known. */
function poll(
	known: KnownResponses | undefined,
	records: IDataObject[],
	{ events = BOTH, whole = true, day = 0, hour = 0, since }: Circumstances = {},
) {
	// a day that is not the first: 0 means that a response is there
	const now = Date.UTC(2026, 10, 21) + day * DAY_MS + hour * HOUR_MS;
	const rules = { node, events, abandonedAfterMs: DAY_MS, now, since };
	const comparison = compare(known, records, whole, rules);
	return {
		seen: knownAfter(comparison, []),
		found: comparison.found.map(({ event, record }) => `${event} ${String(record.uuid)}`),
	};
}

const baseline = (records: IDataObject[], circumstances: Circumstances = {}) =>
	poll(undefined, records, circumstances).seen;

describe('What a poll finds', () => {
	it('is one event for a response that is listed twice, the completion if one copy is complete', () => {
		expect(poll(nothing, [complete(1), complete(1)]).found).toEqual(['responseCompleted 1']);
		expect(poll(nothing, [incomplete(1), complete(1)]).found).toEqual(['responseCompleted 1']);
		expect(poll(nothing, [complete(1), incomplete(1)]).found).toEqual(['responseCompleted 1']);
	});
});

describe('The first reading of a form', () => {
	const since = Date.UTC(2026, 10, 21);
	const created = (uuid: number, seconds: number, more: IDataObject = {}) => ({
		...complete(uuid),
		created_at: new Date(since + seconds * 1_000).toISOString(),
		...more,
	});

	it('finds what was created since the trigger began, and no more', () => {
		const records = [created(1, -1), created(2, 0), created(3, 60), complete(4)];
		const { found, seen } = poll(undefined, records, { since });
		expect(found).toEqual(['responseCompleted 2', 'responseCompleted 3']);
		expect(poll(seen, records).found).toEqual([]);
	});

	it('finds what was begun since then', () => {
		const records = [created(1, 5, { is_incomplete: true })];
		const { found, seen } = poll(undefined, records, { since });
		expect(found).toEqual(['responseStarted 1']);
		expect(poll(seen, [complete(1)]).found).toEqual(['responseCompleted 1']);
	});
});

describe('What is remembered', () => {
	it('is the very same if nothing has changed', () => {
		fc.assert(
			fc.property(listing, (listed) => {
				const known = baseline(listed);
				expect(poll(known, listed).seen).toBe(known);
			}),
		);
	});

	it('is forgotten after 30 days and the rest of a day without it', () => {
		const left = poll(baseline([complete(1)]), [], { day: 1 }).seen;
		const last = poll(left, [], { day: 1 + REMEMBERED_DAYS });
		expect(last.seen.size).toBe(1);
		expect(poll(last.seen, [], { day: 2 + REMEMBERED_DAYS }).seen.size).toBe(0);
	});

	it('does not fade with listings that are cut', () => {
		let { seen } = poll(nothing, [complete(1)]);
		for (let day = 1; day <= 100; day++) seen = poll(seen, [], { day, whole: false }).seen;
		expect([...seen.missingSince]).toEqual([0]);
	});
});

describe('Abandoned', () => {
	const events: TriggerEvent[] = ['responseAbandoned', 'responseCompleted'];
	const started = { created_at: '2026-11-21T00:00:00Z' };

	it('is counted from when it was first seen where its time cannot be read', () => {
		const first = poll(nothing, [incomplete(1)], { events, hour: 5 });
		expect(poll(first.seen, [incomplete(1)], { events, hour: 28 }).found).toEqual([]);
		expect(poll(first.seen, [incomplete(1)], { events, hour: 29 }).found).toHaveLength(1);
	});

	it('is none that was abandoned when the trigger began or when the event was chosen', () => {
		const known = baseline([incomplete(1, started)], { events, hour: 30 });
		expect(poll(known, [incomplete(1, started)], { events, hour: 31 }).found).toEqual([]);
		const unaware = baseline([incomplete(1, started)]);
		const chosen = poll(unaware, [incomplete(1, started)], { events, hour: 30 });
		expect(chosen.found).toEqual([]);
		expect(poll(chosen.seen, [incomplete(1, started)], { events, hour: 60 }).found).toEqual([]);
	});

	it('comes after Response Started where both have happened', () => {
		const all: TriggerEvent[] = ['responseStarted', ...events];
		const first = poll(nothing, [incomplete(1, started)], { events: all, hour: 30 });
		expect(first.found).toEqual(['responseStarted 1']);
		const second = poll(first.seen, [incomplete(1, started)], { events: all, hour: 30 });
		expect(second.found).toEqual(['responseAbandoned 1']);
	});
});

describe('A response of a listing', () => {
	it('stays known when the listing has it twice, with one identity and with both', () => {
		const { found, seen } = poll(baseline([{ id: 7 }]), [{ id: 7, uuid: 'a' }, { id: 7 }]);
		expect(found).toEqual([]);
		expect(poll(seen, [{ uuid: 'a' }]).found).toEqual([]);
	});

	it('without either stops the poll, with an error that names its keys and not its values', () => {
		const listing = () => poll(nothing, [{ uuid: 'a' }, { key: 'secret', number: 7 }]);
		expect(listing).toThrow('The service sent a response without a UUID');
		try {
			listing();
		} catch (error) {
			expect(error).toMatchObject({ description: expect.stringContaining('key, number') });
			expect(JSON.stringify(error)).not.toContain('secret');
		}
	});
});
