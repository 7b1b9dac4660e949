import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { RESPONSE_EVENTS } from '../../../nodes/FormService/parameters/triggerEvents.ts';
import {
	computeAnswersFingerprint,
	detectEvent,
	forgetUnlisted,
	haveAnswersChanged,
	type DetectionRules,
} from '../../../nodes/FormService/trigger/responseEvents.ts';
import { DAY_MS, HOUR_MS } from '../../time.mts';

/*
 * Each example is a story of readings: the hour since the activation, the responses, and their events. `a?` is
 * incomplete, `a=1` has an answer, and `a@-5` was created at that hour. After `->` are all events that start the
 * workflow then, and after `~>` those that are found and have no room. A story can begin with the events that
 * are chosen, or with what existed before.
 */
const ACTIVATION = Date.UTC(2026, 10, 21, 12);
const toMs = (hour: number) => ACTIVATION + hour * HOUR_MS;

function readRecord(text: string): IDataObject {
	const [, id, mark, answer, time] = /^(\w+)(\??)(?:=(\w+))?(?:@(\S+))?$/.exec(text)!;
	const created_at = time && new Date(toMs(Number(time))).toISOString();
	const responses = answer && { Name: answer };
	return { id, is_incomplete: Number(mark === '?'), created_at, responses };
}

const baseline = { sinceMs: ACTIVATION };
const all: DetectionRules = {
	events: RESPONSE_EVENTS,
	abandonedAfterMs: DAY_MS,
	baseline: undefined,
	isFirstPass: false,
};
const beginnings: Record<string, DetectionRules> = {
	'only Completed': { ...all, events: ['responseCompleted'] },
	'only Started': { ...all, events: ['responseStarted'] },
	'only Abandoned': { ...all, events: ['responseAbandoned'] },
	'all events': all,
	existing: { ...all, baseline, isFirstPass: true },
	'existing, all emitted': { ...all, baseline: { ...baseline, emitExistingSinceMs: 0 } },
	'existing, emitted since -5': {
		...all,
		isFirstPass: true,
		baseline: { ...baseline, emitExistingSinceMs: toMs(-5) },
	},
};

/** Returns the story with the events that the readings give. */
function play(story: string): string {
	const seen = new Map<unknown, string>();
	let rules = all;
	const steps = story.split('; ').map((step) => {
		if (step in beginnings) {
			rules = beginnings[step];
			return step;
		}
		const [, hour, records, arrow] = /^([\d.]+)h: (.*?) ?([-~]>)/.exec(step)!;
		const found = records.split(' ').flatMap((text) => {
			const record = readRecord(text);
			const before = seen.get(record.id);
			const { event, seenAfter } = detectEvent(record, toMs(Number(hour)), before, rules);
			const isChosen = event !== undefined && rules.events.includes(event);
			if (!isChosen || arrow === '->') seen.set(record.id, seenAfter);
			return isChosen ? `${event.slice(8)} ${String(record.id)}` : [];
		});
		// all pages were read
		rules = { ...rules, baseline: undefined };
		return `${hour}h: ${records} ${arrow} ${found.join(', ')}`.trim();
	});
	return steps.join('; ');
}

it.each([
	'1h: a -> Completed a; 2h: a ->',
	'1h: a?=1@1 -> Started a; 24h: a?=1@1 ->; 25h: a?=1@1 -> Abandoned a; 26h: a?=2@1 ->; 27h: a=3@1 -> Completed a; 28h: a=4@1 -> Updated a; 29h: a@1 ->; 30h: a=5@1 -> Updated a; 31h: a=5@1 ->',
	'1h: a=1@1 -> Completed a; 2h: a?=1@1 ->; 50h: a?=2@1 ->; 51h: a=2@1 -> Updated a; 52h: a?=2@1 ->; 53h: a=2@1 ->',
	'1h: a?@-168 -> Started a; 2h: a?@-168 -> Abandoned a; 3h: a?@-168 ->',
	'5h: a? -> Started a; 60h: a? ->; 91h: a -> Completed a',
	'only Started; 1h: a? b -> Started a; 60h: a? b? ->; 61h: a ->',
	'only Abandoned; 1h: a?@-24 b?@-22 -> Abandoned a; 2h: a?@-24 b?@-22 -> Abandoned b',
	'only Completed; 1h: a?@1 b?@1 ->; all events; 26h: a?@1 c?@9 -> Started c; 33h: a?@1 c?@9 -> Abandoned c',
])('A response has these events: %s', (story) => expect(play(story)).toBe(story));

it.each([
	'1h: a? ~> Started a; 2h: a -> Completed a; 3h: a ->',
	'1h: a?@1 ~> Started a; 31h: a?@1 -> Started a; 32h: a?@1 -> Abandoned a',
	'1h: a?@1 -> Started a; 25h: a?@1 ~> Abandoned a; 26h: a@1 -> Completed a; 27h: a@1 ->',
])('An event that has no room comes later, or another one in its place: %s', (story) =>
	expect(play(story)).toBe(story),
);

it.each([
	'existing; 1h: a@-9 b?@-8 c@0 d@0.1 -> Completed c, Completed d; 2h: a@-9 b@-8 -> Completed b',
	'existing; 1h: a ->; 2h: a b c@-9 -> Completed b, Completed c',
	'existing; 1h: a?@-30 b?@-20 ->; 5h: a?@-30 b?@-20 -> Abandoned b; 6h: a b -> Completed a, Completed b',
	'existing, all emitted; 1h: a@-900 b? c@1 -> Completed a, Started b, Completed c; 2h: a@-900 b? ->',
	'existing, emitted since -5; 1h: a@-6 b@-5 c?@-4 d -> Completed b, Started c; 2h: a@-6 b@-5 d ->',
])('What existed before starts nothing but its later events: %s', (story) =>
	expect(play(story)).toBe(story),
);

/** Whether answers count as changed. */
const isUpdate = (before: IDataObject, after: IDataObject) =>
	haveAnswersChanged(computeAnswersFingerprint(before), computeAnswersFingerprint(after));

const given: IDataObject = { Name: 'Ada', Age: 36, Tags: ['A', 'B'], City: null };
const list = (answers: IDataObject): IDataObject[] =>
	Object.entries(answers).map(([key, value]) => ({ key, value }));
const withNames = (answers: IDataObject): IDataObject[] =>
	Object.entries(answers).map(([label, value]) => ({ label, value, uuid: `of ${label}` }));
const same = list(given);
const change = (answers: IDataObject) => list({ ...given, ...answers });

const updates: Record<string, [before: unknown, after: unknown]> = {
	'an answer changes': [same, change({ Name: 'Grace' })],
	'an answer is added': [same, change({ City: 'Paris' })],
	'choices are ranked differently': [same, change({ Tags: ['B', 'A'] })],
	'two answers are exchanged': [same, change({ Name: 36, Age: 'Ada' })],
	'an answer moves to another field': [same, change({ Name: null, City: 'Ada' })],
	'one of two fields with one label changes': [
		[...same, ...same],
		[...same, ...change({ Age: 1 })],
	],
	'another file is uploaded beside a file': [
		change({ Tags: 'a.pdf|https://host/a.pdf?sig=1, b.pdf|https://host/b.pdf?sig=1' }),
		change({ Tags: 'c.pdf|https://host/c.pdf?sig=1, b.pdf|https://host/b.pdf?sig=1' }),
	],
};

it.each(Object.entries(updates))('A response is updated if %s', (_text, shapes) => {
	const [before, after] = shapes.map((responses) => ({ responses }) as IDataObject);
	expect([isUpdate(before, after), isUpdate(after, before)]).toEqual([true, true]);
});

const { City, ...answered } = given;
const { Name, ...others } = given;

const noUpdates: Record<string, IDataObject> = {
	'other attributes change': { webhook_sent: true, hubspot_sync: 1, updated_at: 'now' },
	'the answers come in another order': { responses: same.toReversed() },
	'a field is renamed, and fields without answers are added': {
		responses: list({ New: null, 'Full name': Name, Empty: '', ...others }),
	},
	'the list becomes a map': { responses: given },
	'the list has other attributes': { responses: withNames(given) },
	'unanswered fields are left out': { responses: list(answered) },
	'an answer moves to the next field': { responses: change({ Tags: null, City: ['A', 'B'] }) },
	'the reply has no answers for once': { responses: undefined },
	'its answers cannot be read for once': { responses: 42 },
};

it.each(Object.entries(noUpdates))('A response is not updated if %s', (_text, after) => {
	expect(isUpdate({ responses: same }, { responses: same, ...after })).toBe(false);
});

it.each<[string, (address: string) => unknown]>([
	['a name and an address', (address) => `cv.pdf|${address}`],
	['one of several', (address) => [`scan|${address}`, `what? (1).jpg|${address}`]],
])('A file that is %s is the same with another signature', (_text, write) => {
	const [before, after] = ['Expires=1&Signature=1', 'Expires=2&Signature=2'].map((query) => ({
		responses: change({ Tags: write(`https://host.example/files/7?${query}`) as never }),
	}));
	expect(isUpdate(before, after)).toBe(false);
});

it('A response is not updated if a field with a UUID is renamed and moved', () => {
	const name = { uuid: 'n', label: 'Name', value: 'Ada' };
	const place = { uuid: 'p', label: 'Place', value: 'Paris' };
	const moved = { ...place, label: 'Address' };
	const before = { responses: [name, place] };
	expect(isUpdate(before, { responses: [moved, name] })).toBe(false);
	expect(isUpdate(before, { responses: [moved, { ...name, value: 'Bob' }] })).toBe(true);
});

it('A response is forgotten if no page has listed it between two looks', () => {
	const unlisted = forgetUnlisted(new Map(Object.entries({ gone: 'c', back: 'i' })));
	expect([...unlisted.keys()]).toEqual(['gone', 'back']);
	expect([...forgetUnlisted(new Map([...unlisted, ['back', 'i']])).keys()]).toEqual(['back']);
});
