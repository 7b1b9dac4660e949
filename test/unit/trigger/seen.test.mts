import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
	baseline,
	findEvents,
	remember,
	REMEMBERED_DAYS,
	type Listed,
	type Seen,
	type TriggerEvent,
} from '../../../nodes/FormService/trigger/seen.ts';
import { listing } from './arbitraries.mts';

const BOTH: TriggerEvent[] = ['responseCompleted', 'responseStarted'];
const complete = (fingerprint: bigint): Listed => ({ fingerprint, incomplete: false });
const incomplete = (fingerprint: bigint): Listed => ({ fingerprint, incomplete: true });
const nothing: Seen = new Map();

/** One look that delivers all it finds, as text. */
function look(seen: Seen, listed: Listed[], { events = BOTH, whole = true, day = 0 } = {}) {
	const found = findEvents(seen, listed, events);
	const next = remember(seen, { listed, complete: whole, postponed: new Set(), day });
	return {
		seen: next,
		found: found.map(({ event, response }) => `${event} ${response.fingerprint}`),
	};
}

describe('What a look finds', () => {
	it('is nothing right after a baseline of the same listing', () => {
		fc.assert(
			fc.property(listing, (listed) => {
				expect(findEvents(baseline(listed), listed, BOTH)).toEqual([]);
			}),
		);
	});

	it('is a complete response that was not known', () => {
		expect(look(nothing, [complete(1n)]).found).toEqual(['responseCompleted 1']);
	});

	it('is an incomplete response that was not known, and its completion', () => {
		const first = look(nothing, [incomplete(1n)]);
		expect(first.found).toEqual(['responseStarted 1']);
		const second = look(first.seen, [complete(1n)]);
		expect(second.found).toEqual(['responseCompleted 1']);
		expect(look(second.seen, [complete(1n)]).found).toEqual([]);
	});

	it('is the completion of a response that was incomplete at the baseline', () => {
		expect(look(baseline([incomplete(1n)]), [complete(1n)]).found).toEqual(['responseCompleted 1']);
	});

	it('is not a response that is reopened, nor its second completion', () => {
		const reopened = look(baseline([complete(1n)]), [incomplete(1n)]);
		expect(reopened.found).toEqual([]);
		expect(look(reopened.seen, [complete(1n)]).found).toEqual([]);
	});

	it('is no event that the trigger is not set to, also not when it is set to it later', () => {
		const first = look(nothing, [incomplete(1n), complete(2n)], { events: ['responseStarted'] });
		expect(first.found).toEqual(['responseStarted 1']);
		expect(look(first.seen, [incomplete(1n), complete(2n)]).found).toEqual([]);
	});

	it('is one event for a response that is listed twice, the completion if one copy is complete', () => {
		expect(look(nothing, [complete(1n), complete(1n)]).found).toEqual(['responseCompleted 1']);
		expect(look(nothing, [incomplete(1n), complete(1n)]).found).toEqual(['responseCompleted 1']);
		expect(look(nothing, [complete(1n), incomplete(1n)]).found).toEqual(['responseCompleted 1']);
	});

	it('never has an event twice, through any listings', () => {
		fc.assert(
			fc.property(fc.array(fc.tuple(listing, fc.boolean())), (looks) => {
				let seen = nothing;
				const all = looks.flatMap(([listed, whole]) => {
					const { found, seen: next } = look(seen, listed, { whole });
					seen = next;
					return found;
				});
				expect(new Set(all).size).toBe(all.length);
			}),
		);
	});

	it('never leaves out a complete response that has not been delivered', () => {
		fc.assert(
			fc.property(fc.array(fc.tuple(listing, fc.boolean())), (looks) => {
				let seen = nothing;
				const delivered = new Set<string>();
				for (const [listed, whole] of looks) {
					const { found, seen: next } = look(seen, listed, { whole });
					seen = next;
					for (const event of found) delivered.add(event);
					for (const { fingerprint, incomplete: isOpen } of listed) {
						if (!isOpen) expect(delivered).toContain(`responseCompleted ${fingerprint}`);
					}
				}
			}),
		);
	});
});

describe('What is remembered', () => {
	it('is not an event that was postponed: the next look finds it again', () => {
		fc.assert(
			fc.property(listing, listing, (before, now) => {
				const seen = baseline(before);
				const found = findEvents(seen, now, BOTH);
				const postponed = new Set(found.map(({ response }) => response.fingerprint));
				const next = remember(seen, { listed: now, complete: true, postponed, day: 0 });
				expect(findEvents(next, now, BOTH)).toEqual(found);
			}),
		);
	});

	it('outlasts a listing that is empty for 30 days', () => {
		let { seen } = look(nothing, [complete(1n)]);
		for (let day = 1; day <= REMEMBERED_DAYS; day++) seen = look(seen, [], { day }).seen;
		expect(look(seen, [complete(1n)], { day: REMEMBERED_DAYS + 1 }).found).toEqual([]);
	});

	it('is forgotten after 30 days and the rest of a day without it', () => {
		const left = look(baseline([complete(1n)]), [], { day: 1 }).seen;
		const last = look(left, [], { day: 1 + REMEMBERED_DAYS });
		expect(last.seen.size).toBe(1);
		expect(look(last.seen, [], { day: 2 + REMEMBERED_DAYS }).seen.size).toBe(0);
	});

	it('counts the days anew when the response comes back in between', () => {
		let { seen } = look(baseline([complete(1n)]), [], { day: 1 });
		seen = look(seen, [complete(1n)], { day: 20 }).seen;
		seen = look(seen, [], { day: 21 }).seen;
		expect(look(seen, [], { day: 50 }).seen.size).toBe(1);
	});

	it('does not fade with listings that are cut', () => {
		let { seen } = look(nothing, [complete(1n)]);
		for (let day = 1; day <= 100; day++) seen = look(seen, [], { day, whole: false }).seen;
		expect(seen.get(1n)).toEqual({ incomplete: false });
	});
});
