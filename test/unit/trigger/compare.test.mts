import { range } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../nodes/FormService/trigger/budget.ts';
import * as compare from '../../../nodes/FormService/trigger/compare.ts';
import type { FoundEvent, Rules } from '../../../nodes/FormService/trigger/compare.ts';
import { advanceBaseline } from '../../../nodes/FormService/trigger/knowledge.ts';
import type { FormState } from '../../../nodes/FormService/trigger/knowledge.ts';
import type { PageRead } from '../../../nodes/FormService/trigger/reading.ts';
import { testStories } from '../stories.mts';

/*
 * Each example is a story of whole readings: the hour since the activation, the responses on each page, and
 * the events. `a?` is incomplete, `a@-5` was created at that hour, and `a=A` has the uuid A. After `->` are
 * all events that start the workflow then, and after `~>` those that are found and wait for room. A story
 * can begin with the events that are chosen, or with what existed before.
 */
const ACTIVATION = Date.UTC(2026, 10, 21, 12);
const toMs = (hour: number) => ACTIVATION + hour * HOUR_MS;

function readRecord(text: string): IDataObject {
	const [, id, uuid, mark, time] = /^(\w+)(?:=(\w+))?(\??)(?:@(\S+))?$/.exec(text)!;
	const isHour = /^-?[\d.]+$/.test(time);
	const created_at = isHour ? new Date(toMs(Number(time))).toISOString() : time;
	// booleans can come as 0 and 1
	return { id, uuid, is_incomplete: Number(mark === '?'), created_at };
}

function readPages(text: string): PageRead[] {
	let readAtMs = 0;
	return text.split(' / ').map((page) => {
		const [, hour, records] = /^(?:([\d.]+)h:)?(.*)$/.exec(page)!;
		if (hour) readAtMs = toMs(Number(hour));
		return { records: records.split(' ').filter(Boolean).map(readRecord), readAtMs };
	});
}

const baseline = { sinceMs: ACTIVATION };
const all: Rules = {
	events: ['responseCompleted', 'responseStarted', 'responseAbandoned'],
	abandonedAfterMs: DAY_MS,
};
const beginnings: Record<string, { rules?: Rules; state?: FormState }> = {
	'only Completed': { rules: { ...all, events: ['responseCompleted'] } },
	'only Started': { rules: { ...all, events: ['responseStarted'] } },
	'only Abandoned': { rules: { ...all, events: ['responseAbandoned'] } },
	'all events': { rules: all },
	existing: { state: { baseline } },
	'existing, all emitted': { state: { baseline: { ...baseline, emitSinceMs: 0 } } },
	'existing, emitted since -5': { state: { baseline: { ...baseline, emitSinceMs: toMs(-5) } } },
};

/** What is known of a form, from poll to poll. */
class Watch {
	waiting = new Map<string, FoundEvent>();
	/** By default, every response is new. */
	state: FormState = { known: new Map() };
	rules = all;

	/** Reads a whole list, and returns the events that start the workflow, or those that are found and wait. */
	read(text: string, hasRoom = true): string {
		const pages = readPages(text);
		const comparison = compare.compareResponses(this.state, this.waiting, pages, this.rules);
		const { state, found, listed, hasFoundExisting } = comparison;
		for (const one of found) this.waiting.set(one.fingerprint, one);
		const missing = compare.markMissing(state, new Set(listed.keys()), pages[0].readAtMs);
		const reading = { isOnePage: pages.length === 1, hasFoundExisting, hasDropped: false };
		this.state = advanceBaseline(missing, reading);
		const shown = hasRoom ? [...this.waiting.values()] : found;
		if (hasRoom)
			Object.assign(this, { state: compare.applyEvents(this.state, shown), waiting: new Map() });
		return shown.map(({ event, record }) => `${event.slice(8)} ${String(record.id)}`).join(', ');
	}

	/** Returns the story with the events that the readings gave. */
	play(story: string): string {
		const steps = story.split('; ').map((step) => {
			Object.assign(this, beginnings[step]);
			if (step in beginnings) return step;
			const [, pages, arrow] = /^(.*) ([-~]>)/.exec(step)!;
			return `${pages} ${arrow} ${this.read(pages, arrow === '->')}`.trim();
		});
		return steps.join('; ');
	}
}

const play = (story: string) => new Watch().play(story);

testStories('A response', play, {
	'that is new and complete is Completed once': '1h: a -> Completed a; 2h: a ->',
	'gives each of its events in turn':
		'1h: a?@1 -> Started a; 24h: a?@1 ->; 25h: a?@1 -> Abandoned a; 26h: a?@1 ->; 27h: a -> Completed a',
	'that is reopened and completed again gives nothing more':
		'1h: a@1 -> Completed a; 2h: a?@1 ->; 50h: a?@1 ->; 51h: a@1 ->',
	'that is found a week late is Started, then Abandoned':
		'1h: a?@-168 -> Started a; 2h: a?@-168 -> Abandoned a; 3h: a?@-168 ->',
	'is abandoned by the time at which its page was read':
		'1h: a?@1 b?@1 -> Started a, Started b; 24.9h: a?@1 / 25.1h: b?@1 -> Abandoned b',
	'that is missing for a while is Abandoned a day after it was created':
		'2h: a?@1 -> Started a; 3h: ->; 4h: a?@1 ->; 24h: a?@1 ->; 25h: a?@1 -> Abandoned a',
	'that is listed twice counts once, as complete if one of its records is':
		'1h: a b? c / a? b c -> Completed a, Completed b, Completed c; 2h: a b c ->',
	'whose id gets a uuid continues':
		'1h: a?@1 -> Started a; 2h: a=A?@1 ->; 25h: a=A?@1 -> Abandoned a; 26h: a=A -> Completed a; 27h: a=A ->',
	'whose id gets a uuid is known by that':
		'1h: a b? -> Completed a, Started b; 2h: a=A b=B -> Completed b; 3h: y=A z=B ->',
	'gives nothing once it is complete, if only Started is chosen':
		'only Started; 1h: a? b -> Started a; 60h: a? b? ->; 61h: a ->',
	'is Abandoned however late it is found':
		'only Abandoned; 1h: a?@-24 b?@-22 -> Abandoned a; 2h: a?@-24 b?@-22 -> Abandoned b',
	'that was abandoned before this event was chosen starts nothing':
		'only Completed; 1h: a?@1 b?@1 ->; all events; 26h: a?@1 c?@9 -> Started c; 33h: a?@1 c?@9 -> Abandoned c',
});

const oddTimes = ' @0001-01-01T00:00:00Z @1969-12-31T23:59:59Z @1970-01-01 @900 @soon'.split(' ');
it.each(oddTimes)(
	'A response without a time of use (%s) is Abandoned a day after it was found',
	(time) => {
		const story = `5h: a?${time} b${time} -> Started a, Completed b; 28h: a?${time} b${time} ->; 29h: a?${time} -> Abandoned a; 60h: a?${time} ->; 90h: a?${time} ->; 91h: a${time} b${time} -> Completed a`;
		expect(play(story)).toBe(story);
	},
);

testStories('A response that waits to be', play, {
	'Started is Completed instead': '1h: a? ~> Started a; 2h: a -> Completed a; 3h: a ->',
	'Started is Started first, however late, and then Abandoned':
		'1h: a?@1 ~> Started a; 30h: a?@1 ~>; 31h: a?@1 -> Started a; 32h: a?@1 -> Abandoned a',
	'Abandoned is Completed instead':
		'1h: a?@1 -> Started a; 25h: a?@1 ~> Abandoned a; 26h: a@1 -> Completed a; 27h: a@1 ->',
	'Completed stays so if it is reopened':
		'1h: a ~> Completed a; 2h: a? ~>; 60h: a? -> Completed a; 61h: a ->',
	'Completed is so once, although its id gets a uuid':
		'1h: a b? ~> Completed a, Started b; 2h: a=A b=B -> Completed a, Completed b; 3h: a=A b=B ->',
});

testStories('A response that existed before the form was watched', play, {
	'starts nothing, and gives its later events':
		'existing; 1h: a@-9 b?@-8 ->; 2h: a@-9 b@-8 -> Completed b',
	'is known by its time: the others are new':
		'existing; 1h: a@-0.1 b@0 c@0.1 -> Completed b, Completed c',
	'starts nothing if it has no time': 'existing; 1h: a ->; 2h: a b -> Completed b',
	'is not Abandoned if it was so before':
		'existing; 1h: a?@-30 b?@-20 ->; 5h: a?@-30 b?@-20 -> Abandoned b; 6h: a b -> Completed a, Completed b',
	'can be hidden by a deletion in a first reading of several pages':
		'existing; 1h: a@-1 / b@-5 ->; 2h: a@-1 c@-2 / b@-5 d@1 -> Completed d; 3h: e@-3 / a@-1 ->',
	'is not expected after a second whole reading without any':
		'existing; 1h: a@-1 / b@-5 ->; 2h: a@-1 / b@-5 ->; 3h: a@-1 c@-2 / b@-5 -> Completed c',
	'is not expected after a list of one page':
		'existing; 1h: a@-1 b@-5 ->; 2h: a@-1 c@-2 -> Completed c',
	'is older than one that was seen: new ones can have local times':
		'existing; 1h: a@-9 / b@-8 ->; 2h: a@-9 / c@-7 -> Completed c; 3h: a@-9 / d@-6 -> Completed d',
	'and has no time is only expected in the first reading':
		'existing; 1h: a / b ->; 2h: a / c -> Completed c',
	'is emitted once, whatever its time':
		'existing, all emitted; 1h: a@-900 b? / c@1 -> Completed a, Started b, Completed c; 2h: a@-900 / b? ->',
	'is emitted if it was created since a time':
		'existing, emitted since -5; 1h: a@-6 b@-5 / c?@-4 d -> Completed b, Started c; 2h: a@-6 b@-5 / d ->',
});

it('A first reading is followed by another one if existing responses had no room', () => {
	const reading = { isOnePage: true, hasFoundExisting: true };
	const advance = (hasDropped: boolean) =>
		advanceBaseline({ baseline }, { ...reading, hasDropped });
	expect(advance(true)).toEqual({ baseline: { ...baseline, isRead: true } });
	expect(advance(false)).toEqual({});
});

it('An existing response is marked, so that new ones go first, also once it is completed', () => {
	const watch = new Watch();
	watch.play('existing, all emitted; 1h: a?@-5 b@0.5 ~>; 2h: a@-5 b@0.5 ~>');
	expect([...watch.waiting.values()].map(({ isExisting }) => isExisting)).toEqual([true, false]);
});

const without = (days: readonly number[]) => days.map((day) => `${24 * day}h: b ->`).join('; ');
const found = '1h: a b -> Completed a, Completed b';

testStories('A response that is missing in its list', play, {
	'for 30 days is remembered': `${found}; ${without(range(1, 32))}; 999h: a b ->`,
	'for 31 days is forgotten': `${found}; ${without(range(1, 33))}; 999h: a b -> Completed a`,
	'on two days is remembered, however far apart': `${found}; ${without([1, 90])}; 9999h: a b ->`,
	'is remembered, however often a day is read': `${found}; ${without(range(1, 20, 0.2))}; 999h: a b ->`,
	'again after it was back is remembered for as long': `${found}; ${without(range(1, 26))}; 620h: a b ->; ${without(range(27, 53))}; 9999h: a b ->`,
});

it('What is known stays the same object if nothing has changed, and is never changed itself', () => {
	const watch = new Watch();
	watch.play('existing; 1h: a@-1 b?@-1 / c@1 ->; 2h: a@-1 b?@-1 ->');
	const { state } = watch;
	const copy = structuredClone(state.known);
	watch.play('3h: a@-1 b?@-1 ->');
	expect(watch.state).toBe(state);
	expect(compare.applyEvents(state, [])).toBe(state);
	watch.play('40h: d ->');
	expect(state.known).toEqual(copy);
});
