import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { RESPONSE_EVENTS } from '../../../nodes/FormService/parameters/watched.ts';
import type { TriggerEvent } from '../../../nodes/FormService/parameters/watched.ts';
import * as compare from '../../../nodes/FormService/trigger/compare.ts';
import { mergeFormList } from '../../../nodes/FormService/trigger/compareForms.ts';
import { parseFormList } from '../../../nodes/FormService/trigger/formList.ts';
import type { FormState, Knowledge } from '../../../nodes/FormService/trigger/knowledge.ts';

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];
const START_MS = Date.UTC(2026, 10, 22, 12);

/** A form that was read with this response, so that its answers are known. */
function watchForm(before: IDataObject, events: readonly TriggerEvent[] = RESPONSE_EVENTS) {
	const waiting = new Map<string, compare.FoundEvent>();
	let state: FormState = { baseline: { sinceMs: START_MS + 1 } };
	/** What a reading finds. */
	const read = (record: IDataObject, { hours = 1, chosen = events } = {}) => {
		const records = [{ uuid: 'a', created_at: '2026-11-22T12:00:00Z', ...record }];
		const pages = [{ records, readAtMs: START_MS + hours * HOUR_MS }];
		const rules = { events: chosen, abandonedAfterMs: DAY_MS };
		const result = compare.compareResponses(state, waiting, pages, rules);
		state = result.state;
		for (const one of result.found) waiting.set(one.fingerprint, one);
		return result.found.map(({ event }) => event);
	};
	/** n8n has kept what waits. */
	const deliver = () => {
		const delivered = [...waiting.values()];
		state = compare.applyEvents(state, delivered);
		waiting.clear();
		return delivered;
	};
	const find = (...given: Parameters<typeof read>) => [read(...given), deliver()][0];
	const know = () => [...state.known!.values()];
	const miss = (day: number) =>
		(state = compare.markMissing(state, new Set(), START_MS + day * DAY_MS));
	read(before);
	return { read, deliver, find, know, miss };
}

const given: IDataObject = { Name: 'Ada', Age: 36, Tags: ['A', 'B'], City: null };
const list = (answers: IDataObject): IDataObject[] =>
	Object.entries(answers).map(([key, value]) => ({ key, value }));
const withNames = (answers: IDataObject): IDataObject[] =>
	Object.entries(answers).map(([label, response]) => ({ label, response, uuid: `of ${label}` }));
const same = list(given);
const change = (answers: IDataObject) => list({ ...given, ...answers });

const updates: Record<string, [before: unknown, after: unknown]> = {
	'an answer changes': [same, change({ Name: 'Grace' })],
	'an answer changes in a map': [given, { ...given, Age: 37 }],
	'an answer changes beside a UUID': [withNames(given), withNames({ ...given, Age: 37 })],
	'an answer changes on a second page': [
		[same, list({ a: 1 })],
		[same, list({ a: 2 })],
	],
	'an answer is added': [same, change({ City: 'Paris' })],
	'a first answer is added': [[], list({ Name: 'Ada' })],
	'a choice is added': [same, change({ Tags: ['A', 'B', 'C'] })],
	'choices are ranked differently': [same, change({ Tags: ['B', 'A'] })],
	'two answers are exchanged': [same, change({ Name: 36, Age: 'Ada' })],
	'an answer moves to another field': [same, change({ Name: null, City: 'Ada' })],
	'one of two fields with one label changes': [
		[...same, ...same],
		[...same, ...change({ Age: 1 })],
	],
	'an unknown shape changes': [{ a: { b: [{ key: 1 }] } }, { a: { b: [{ key: 2 }] } }],
};

it.each(Object.entries(updates))('Response Updated starts the workflow if %s', (_text, shapes) => {
	for (const is_incomplete of [true, false]) {
		const records = shapes.map((responses) => ({ is_incomplete, responses }) as IDataObject);
		const form = watchForm(records[0]);
		const found = [0, 1, 1, 0].map((index) => form.find(records[index]).join());
		expect(found).toEqual(['', 'responseUpdated', '', 'responseUpdated']);
	}
});

const { City, ...answered } = given;
const { Name, ...others } = given;

const noUpdates: Record<string, IDataObject> = {
	'other attributes change': { webhook_sent: true, hubspot_sync: 1, updated_at: 'now' },
	'the answers come in another order': { responses: same.toReversed() },
	'the list becomes an object of PHP': { responses: { ...same } as never },
	'the list becomes a map': { responses: given },
	'the list has other attributes': { responses: withNames(given) },
	'the list is in another attribute': { responses: undefined, answers: same },
	'there is a list for each page': { responses: [same.slice(0, 1), same.slice(1)] as never },
	'choices become an object of PHP': { responses: change({ Tags: { 0: 'A', 2: 'B' } }) },
	'choices become a text': { responses: change({ Tags: 'A, B' }) },
	'a number becomes a text': { responses: change({ Age: '36' }) },
	'a field is added': { responses: list({ New: '', ...given, Last: [] }) },
	'unanswered fields are left out': { responses: list(answered) },
	'a field is renamed': { responses: list({ 'Full name': Name, ...others }) },
	'the reply has no answers for once': { responses: undefined },
};

it('Response Updated starts nothing if a field with a UUID is renamed and moved, or parts of an answer are', () => {
	const name = { uuid: 'n', label: 'Name', response: 'Ada' };
	const place = { uuid: 'p', label: 'Place', response: { street: 'A', zip: 1 } };
	const moved = { uuid: 'p', label: 'Address', response: { zip: 1, street: 'A' } };
	const form = watchForm({ responses: [name, place] });
	expect(form.find({ responses: [moved, name] })).toEqual([]);
	const changed = [moved, { ...name, response: 'Bob' }];
	expect(form.find({ responses: changed })).toEqual(['responseUpdated']);
});

it.each(Object.entries(noUpdates))('Response Updated starts nothing if %s', (_text, after) => {
	const form = watchForm({ responses: same });
	expect(form.find({ responses: same, ...after })).toEqual([]);
	expect(form.find({ responses: same })).toEqual([]);
	expect(form.find({ responses: change({ Age: 37 }) })).toEqual(['responseUpdated']);
});

describe('A response that is updated', () => {
	const open = (name: string) => ({ is_incomplete: true, responses: { name } });
	const complete = (name: string) => ({ is_incomplete: false, responses: { name } });

	it.each<[TriggerEvent[], string[]]>([
		[['responseUpdated', 'responseCompleted'], ['responseCompleted']],
		[['responseUpdated'], []],
	])('by its completion is completed and not updated (%j)', (events, expected) => {
		const form = watchForm(open('Ada'), events);
		expect(form.find(complete('Grace'))).toEqual(expected);
		expect(form.find(complete('Edsger'))).toEqual(['responseUpdated']);
		expect(form.find(open('Edsger'))).toEqual([]);
		// it was completed before
		expect(form.find(complete('Ada'))).toEqual(['responseUpdated']);
	});

	it('and abandoned since the last reading gives both events in turn', () => {
		const form = watchForm(open('Ada'));
		expect(form.find(open('Grace'), { hours: 25 })).toEqual(['responseUpdated']);
		expect(form.find(open('Grace'), { hours: 26 })).toEqual(['responseAbandoned']);
		expect(form.find(open('Edsger'), { hours: 27 })).toEqual(['responseUpdated']);
	});

	it('while another event of it waits is found again later, and a completion replaces what waits', () => {
		const form = watchForm(open('Ada'));
		expect(form.read(open('Grace'))).toEqual(['responseUpdated']);
		expect(form.read(open('Edsger'))).toEqual([]);
		expect(form.read(complete('Edsger'))).toEqual(['responseCompleted']);
		expect(form.read(complete('Barbara'))).toEqual([]);
		expect(form.deliver()).toMatchObject([{ record: complete('Edsger') }]);
		expect(form.find(complete('Barbara'))).toEqual(['responseUpdated']);
	});

	it('while it is missing, and has a new identity then, is updated when it is back', () => {
		const form = watchForm({ uuid: undefined, id: 7, ...complete('Ada') });
		for (let day = 0; day < 30; day++) form.miss(day);
		expect(form.find({ id: 7, ...complete('Grace') }, { hours: 720 })).toEqual(['responseUpdated']);
	});

	it('is known by its answers only while the event is chosen, from the time at which it is', () => {
		const chosen: TriggerEvent[] = ['responseCompleted'];
		const form = watchForm(complete('Ada'), chosen);
		expect(form.find(complete('Grace'), { chosen: RESPONSE_EVENTS })).toEqual([]);
		expect(form.know()).toMatchObject([{ answers: expect.stringMatching(/^[\w-]{10}$/) }]);
		expect(form.find(complete('Edsger'), { chosen })).toEqual([]);
		expect(form.know()).toEqual([{ kind: 'complete', sinceMinute: 0 }]);
	});
});

/** A form as it was listed once: which attributes have changed in another list, and what is known of it. */
function listForm(before: IDataObject, events: readonly TriggerEvent[] = ['formUpdated']) {
	const watch = { kind: 'chosen', formIds: ['a'] } as const;
	const read = (knowledge: Knowledge, record: IDataObject) => {
		const forms = parseFormList([{ id: 'a', ...record }, { id: 'other' }]);
		return mergeFormList(knowledge, { forms }, { watch, events }, {}, START_MS);
	};
	const { knowledge } = read({ service: 's', forms: new Map() }, before);
	const find = (record: IDataObject) => read(knowledge, record).found.map(({ changed }) => changed);
	return { find, state: knowledge.forms.get('a') };
}

it('Form Created starts the workflow for forms since the first list, oldest first, but for excluded ones', () => {
	const at = (seconds: number) => new Date(START_MS + seconds * 1_000).toISOString();
	const watch = { kind: 'all', except: ['excluded'] } as const;
	const read = (knowledge: Knowledge, records: IDataObject[], isWhole = true) => {
		const forms = parseFormList(records);
		const whole = isWhole ? { ids: new Set(forms.keys()), readAtMs: START_MS } : undefined;
		return mergeFormList(knowledge, { forms, whole }, { watch, events: [] }, {}, START_MS);
	};
	const first = read({ service: 's', forms: new Map() }, [{ id: 'a', created_at: at(9) }]);
	expect([first.found, first.knowledge.listedSinceMs]).toEqual([[], START_MS]);
	const times = { late: at(2), excluded: at(2), early: at(1), rounded: at(-60), old: at(-61) };
	const records = Object.entries(times).map(([id, created_at]) => ({ id, created_at }));
	const { found, knowledge } = read(first.knowledge, [...records, { id: 'timeless' }]);
	const ids = found.map(({ id }) => id);
	expect(ids.filter((id) => id !== 'timeless')).toEqual(['rounded', 'early', 'late']);
	expect(ids).toContain('timeless');
	expect(knowledge.forms.get('excluded')).toEqual({ isPaused: true });
	// while the first list is not complete, a form without a time can be an old one
	const part = read({ service: 's', forms: new Map() }, [{ id: 'a' }], false);
	expect(read(part.knowledge, [{ id: 'timeless' }]).found).toEqual([]);
});

describe('Form Updated', () => {
	const field = { uuid: 'f', label: 'Name', options: ['1', '2'] };
	const none = { theme: null, columns: null, answers_max: null };
	const form: IDataObject = { name: 'Contact', is_closed: false, ...none, fields: [field] };
	const times = [
		'date_created',
		'updatedAt',
		'modified',
		'submitted_on',
		'synced',
		'viewed',
		'last',
		'latest',
	];
	const counters = [
		...['answers', 'average_age', 'completions', 'user_count', 'entries', 'number', 'rate'],
		...['response', 'starts', 'submissions', 'total', 'unread', 'view', 'visits'],
	];
	const passive = (word: string, count: number): IDataObject => ({
		...Object.fromEntries(times.map((name) => [name, word])),
		...Object.fromEntries(counters.map((name) => [name, count])),
		...{ views: `${count}`, counts: [word], analytics: { word } },
		...{ stats: { opened: count }, statistics: word, activity: { answers: count, is_busy: true } },
		fields: [count > 7 ? { answers: count, ...field } : { ...field, answers: count }],
	});

	it.each<[string, IDataObject, string[]]>([
		['is renamed', { name: '2026' }, ['name']],
		['is closed', { is_closed: 1, closed_message: 'x' }, ['closed_message', 'is_closed']],
		['has a limit', { responses_limit: '10', answers_max: 3 }, ['answers_max', 'responses_limit']],
		['has a number', { columns: 2 }, ['columns']],
		['has a longer field', { fields: [{ ...field, max_length: 9 }] }, ['fields']],
		['has another setting', { theme: { color: 'red' } }, ['theme']],
		['has another field', { fields: [field, { uuid: 'g', label: 'City' }] }, ['fields']],
		['has no field', { fields: [] }, ['fields']],
		['has a renamed field', { fields: [{ ...field, label: '2026' }] }, ['fields']],
	])('starts the workflow if a form %s, or no more', (_text, changes, changed) => {
		expect(listForm(form).find({ ...form, ...changes })).toEqual([changed]);
		expect(listForm({ ...form, ...changes }).find(form)).toEqual([changed]);
	});

	it('starts nothing for what changes by itself, and knows nothing unless it is chosen', () => {
		const before = { ...form, ...passive('now', 7) };
		const after = { ...passive('later', 8), ...form, ...passive('later', 8) };
		expect(listForm(before).find(after)).toEqual([]);
		expect(listForm(before, ['responseUpdated']).state).toBeUndefined();
	});

	it.each([1, 40, 88])('takes at most 300 bytes for a form of %i attributes', (count) => {
		const numbers = Array.from({ length: count }, (_one, index) => [`attribute_${index}`, 'set']);
		const record = Object.fromEntries(numbers) as IDataObject;
		const { find, state } = listForm(record);
		expect(JSON.stringify({ id: 'Kt7mQa', ...state }).length).toBeLessThanOrEqual(300);
		expect(find({ ...record, attribute_0: 'other' })).toEqual([['attribute_0']]);
	});
});
