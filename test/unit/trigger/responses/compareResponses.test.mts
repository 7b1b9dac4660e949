import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { RESPONSE_EVENTS } from '../../../../nodes/FormService/parameters/triggerEvents.ts';
import * as compare from '../../../../nodes/FormService/trigger/responses/compareResponses.ts';
import type { ResponseComparisonRules } from '../../../../nodes/FormService/trigger/responses/detectEvent.ts';
import type { SeenResponses } from '../../../../nodes/FormService/trigger/responses/seenResponses.ts';
import { DAY_MS, HOUR_MS } from '../../../../nodes/FormService/trigger/requestBudget.ts';
import type { TimedPage } from '../../../../nodes/FormService/trigger/fetchList.ts';

/*
 * Each example is a story of readings: the hour since the activation, the responses on each page, and the
 * events. `a?` is incomplete, `a=1` has an answer, and `a@-5` was created at that hour. After `->` are all events that start the
 * workflow then, and after `~>` those that are found and have no room. A story can begin with the events that
 * are chosen, or with what existed before.
 */
const ACTIVATION = Date.UTC(2026, 10, 21, 12);
const toMs = (hour: number) => ACTIVATION + hour * HOUR_MS;

function readRecord(text: string): IDataObject {
	const [, id, mark, answer, time] = /^(\w+)(\??)(?:=(\w+))?(?:@(\S+))?$/.exec(text)!;
	const isHour = /^-?[\d.]+$/.test(time);
	const created_at = isHour ? new Date(toMs(Number(time))).toISOString() : time;
	// booleans can come as 0 and 1
	const responses = answer && { Name: answer };
	return { id, is_incomplete: Number(mark === '?'), created_at, responses };
}

function readPages(text: string): TimedPage[] {
	let servedAtMs = 0;
	return text.split(' / ').map((page, pagesBefore) => {
		const [, hour, records] = /^(?:([\d.]+)h:)?(.*)$/.exec(page)!;
		if (hour) servedAtMs = toMs(Number(hour));
		const read = { records: records.split(' ').filter(Boolean).map(readRecord), servedAtMs };
		return { ...read, pagesBefore } as TimedPage;
	});
}

const baseline = { sinceMs: ACTIVATION };
const all: ResponseComparisonRules = { events: RESPONSE_EVENTS, abandonedAfterMs: DAY_MS };
const beginnings: Record<string, ResponseComparisonRules> = {
	'only Completed': { ...all, events: ['responseCompleted'] },
	'only Started': { ...all, events: ['responseStarted'] },
	'only Abandoned': { ...all, events: ['responseAbandoned'] },
	'all events': all,
	existing: { ...all, baseline },
	'existing, all emitted': { ...all, baseline: { ...baseline, backfill: 'all' } },
	'existing, emitted since -5': {
		...all,
		baseline: { ...baseline, backfill: { sinceMs: toMs(-5) } },
	},
};

/** The seen responses of a form, from poll to poll. */
class Watch {
	seen: SeenResponses = new Map();
	/** By default, every response is new. */
	rules = all;

	/** Reads a list, and returns the events that start the workflow, or those that have no room. */
	read(text: string, hasRoom = true): string {
		const comparison = new compare.ResponseComparison(this.seen);
		for (const page of readPages(text)) comparison.addRecords(page, page.records, this.rules);
		const found = compare.sortEventsByPage(comparison.events);
		this.seen = comparison.computeSeen(hasRoom ? [] : found);
		// all pages were read
		this.rules = { ...this.rules, baseline: undefined };
		return found.map(({ event, record }) => `${event.slice(8)} ${String(record.id)}`).join(', ');
	}

	/** Returns the story with the events that the readings gave. */
	play(story: string): string {
		const steps = story.split('; ').map((step) => {
			if (step in beginnings) this.rules = beginnings[step];
			if (step in beginnings) return step;
			const [, pages, arrow] = /^(.*) ([-~]>)/.exec(step)!;
			return `${pages} ${arrow} ${this.read(pages, arrow === '->')}`.trim();
		});
		return steps.join('; ');
	}
}

const play = (story: string) => new Watch().play(story);

/** Tests stories, by name: each is played, and repeated with what is seen. */
function testStories(what: string, stories: Record<string, string>): void {
	it.each(Object.entries(stories))(`${what} %s`, (_name, story) => {
		expect(play(story)).toBe(story);
	});
}

testStories('A response', {
	'that is new and complete is Completed once': '1h: a -> Completed a; 2h: a ->',
	'gives each of its events in turn':
		'1h: a?=1@1 -> Started a; 24h: a?=1@1 ->; 25h: a?=1@1 -> Abandoned a; 26h: a?=2@1 ->; 27h: a=3@1 -> Completed a; 28h: a=4@1 -> Updated a; 29h: a@1 ->; 30h: a=5@1 -> Updated a; 31h: a=5@1 ->',
	'that is reopened and completed again gives nothing more':
		'1h: a@1 -> Completed a; 2h: a?@1 ->; 50h: a?@1 ->; 51h: a@1 ->',
	'that is found a week late is Started, then Abandoned':
		'1h: a?@-168 -> Started a; 2h: a?@-168 -> Abandoned a; 3h: a?@-168 ->',
	'is abandoned by the time at which its page was read':
		'1h: a?@1 b?@1 -> Started a, Started b; 24.9h: a?@1 / 25.1h: b?@1 -> Abandoned b',
	'that is listed twice gives one event':
		'1h: a@1 b?@2 / a@1 b@2 c@3 -> Completed a, Started b, Completed c; 2h: a b c -> Completed b',
	'gives nothing once it is complete, if only Started is chosen':
		'only Started; 1h: a? b -> Started a; 60h: a? b? ->; 61h: a ->',
	'is Abandoned however late it is found':
		'only Abandoned; 1h: a?@-24 b?@-22 -> Abandoned a; 2h: a?@-24 b?@-22 -> Abandoned b',
	'that was abandoned before this event was chosen starts nothing':
		'only Completed; 1h: a?@1 b?@1 ->; all events; 26h: a?@1 c?@9 -> Started c; 33h: a?@1 c?@9 -> Abandoned c',
	'is oldest first within its page, and pages stay in their order':
		'1h: c@3 b@2 / a@1 -> Completed b, Completed c, Completed a',
});

it.each(['', '@soon'])('A response without a time of use (%s) is never Abandoned', (time) => {
	const story = `5h: a?${time} -> Started a; 60h: a?${time} ->; 91h: a${time} -> Completed a`;
	expect(play(story)).toBe(story);
});

testStories('A response that has no room when it is', {
	'Started is Completed instead': '1h: a? ~> Started a; 2h: a -> Completed a; 3h: a ->',
	'Started is Started first, however late, and then Abandoned':
		'1h: a?@1 ~> Started a; 31h: a?@1 -> Started a; 32h: a?@1 -> Abandoned a',
	'Abandoned is Completed instead':
		'1h: a?@1 -> Started a; 25h: a?@1 ~> Abandoned a; 26h: a@1 -> Completed a; 27h: a@1 ->',
});

testStories('A response that existed before the form was watched', {
	'starts nothing, and gives its later events':
		'existing; 1h: a@-9 b?@-8 c?@-7 / c@-7 -> Completed c; 2h: a@-9 b@-8 -> Completed b',
	'is known by its time: the others are new':
		'existing; 1h: a@-0.1 b@0 c@0.1 -> Completed b, Completed c',
	'starts nothing if it has no time': 'existing; 1h: a ->; 2h: a b -> Completed b',
	'is not Abandoned if it was so before':
		'existing; 1h: a?@-30 b?@-20 ->; 5h: a?@-30 b?@-20 -> Abandoned b; 6h: a b -> Completed a, Completed b',
	'is emitted once, whatever its time':
		'existing, all emitted; 1h: a@-900 b? / c@1 -> Completed a, Started b, Completed c; 2h: a@-900 / b? ->',
	'is emitted if it was created since a time':
		'existing, emitted since -5; 1h: a@-6 b@-5 / c?@-4 d -> Completed b, Started c; 2h: a@-6 b@-5 / d ->',
});

it('The seen responses stay the same object if nothing has changed, and is never changed itself', () => {
	const watch = new Watch();
	watch.play('existing; 1h: a@-1 b?@-1 / c@1 -> Completed c; 2h: a@-1 b?@-1 ->');
	const { seen } = watch;
	const copy = structuredClone(seen);
	watch.play('3h: a@-1 b?@-1 ->');
	expect(watch.seen).toBe(seen);
	watch.play('40h: d ->');
	expect(seen).toEqual(copy);
});
