import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	fingerprintAttributes,
	findChangedAttributes,
} from '../../../nodes/FormService/trigger/formAttributes.ts';
import { compareForms, updateAbsences } from '../../../nodes/FormService/trigger/compareForms.ts';
import { parseFormList } from '../../../nodes/FormService/trigger/formList.ts';
import * as known from '../../../nodes/FormService/trigger/seenResponses.ts';
import { DAY_MS } from '../../../nodes/FormService/trigger/requestBudget.ts';
import type { FormState } from '../../../nodes/FormService/trigger/triggerState.ts';

const START_MS = Date.UTC(2026, 10, 22, 12);

/** Whether answers count as changed. */
const isUpdate = (before: IDataObject, after: IDataObject) =>
	known.haveAnswersChanged(
		known.computeAnswersFingerprint(before),
		known.computeAnswersFingerprint(after),
	);

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
	'an answer moves to the next field': { responses: change({ Tags: null, City: ['A', 'B'] }) },
	'a field is renamed': { responses: list({ 'Full name': Name, ...others }) },
	'the reply has no answers for once': { responses: undefined },
};

it.each(Object.entries(noUpdates))('A response is not updated if %s', (_text, after) => {
	expect(isUpdate({ responses: same }, { responses: same, ...after })).toBe(false);
});

it('A response is not updated if a field with a UUID is renamed and moved, or parts of an answer are', () => {
	const name = { uuid: 'n', label: 'Name', response: 'Ada' };
	const place = { uuid: 'p', label: 'Place', response: { street: 'A', zip: 1 } };
	const moved = { uuid: 'p', label: 'Address', response: { zip: 1, street: 'A' } };
	const before = { responses: [name, place] };
	expect(isUpdate(before, { responses: [moved, name] })).toBe(false);
	expect(isUpdate(before, { responses: [moved, { ...name, response: 'Bob' }] })).toBe(true);
});

it('The list of all forms shows those created since it was first read, oldest first, without excluded ones', () => {
	const at = (seconds: number) => new Date(START_MS + seconds * 1_000).toISOString();
	const read = (forms: Map<string, FormState>, records: IDataObject[]) =>
		compareForms(forms, parseFormList(records), {
			watch: { kind: 'all', except: ['excluded'] },
			events: ['formCreated'],
			listedSinceMs: forms.size > 0 ? START_MS : undefined,
			...{ created: { known: '' }, nowMs: START_MS },
		});
	const forms = new Map<string, FormState>();
	expect(read(forms, [{ id: 'a', created_at: at(9) }])).toEqual([]);
	const times = { late: at(2), excluded: at(2), early: at(1), rounded: at(-60), old: at(-61) };
	const records = Object.entries({ ...times, timeless: undefined });
	const listed = records.map(([id, created_at]) => ({ id, created_at, name: ' ' }));
	// a form can be listed twice, and one without an ID cannot be polled
	const found = read(forms, [...listed, { id: 'late', name: 'Again' }, { name: 'Nameless' }]);
	expect(found.map(({ form }) => form.name)).toEqual(['rounded', 'early', 'late', 'timeless']);
	// no form is known until n8n has its event
	expect([...forms.keys()]).toEqual(['a', 'excluded', 'old']);
});

it.each<[number, number, boolean]>([
	[80, 29, true],
	[30, 300, true],
	[80, 80, false],
])('What %i readings in %i days have missed is known: %s', (readings, days, isKnown) => {
	const forms = new Map<string, FormState>([['a', { known: '' }]]);
	let responses: ReturnType<typeof known.pruneSeenResponses> | undefined;
	for (let reading = 0; reading < readings; reading++) {
		const nowMs = START_MS + (days * DAY_MS * reading) / (readings - 1);
		updateAbsences(forms, () => false, nowMs);
		const before = responses?.known ?? new Map([['a', 'c']]);
		responses = known.pruneSeenResponses(before, responses?.sweep, nowMs);
	}
	expect([forms.has('a'), responses?.known.has('a')]).toEqual([isKnown, isKnown]);
});

describe('Form Updated', () => {
	const field = { uuid: 'f', label: 'Name', options: ['1', '2'] };
	const reverse = (one: object) => Object.fromEntries(Object.entries(one).reverse());
	const none = { theme: null, columns: null, answers_max: null };
	const form: IDataObject = { name: 'Contact', is_closed: false, ...none, fields: [field] };
	const times = 'date_created updatedAt modified submitted_on synced viewed last latest'.split(' ');
	const counters =
		'answers average_age completions user_count entries number rate response starts submissions total unread view visits'.split(
			' ',
		);
	const passive = (word: string, count: number): IDataObject => ({
		...Object.fromEntries(times.map((name) => [name, word])),
		...Object.fromEntries(counters.map((name) => [name, count])),
		...{ views: `${count}`, counts: [word], analytics: { word } },
		...{ stats: { opened: count }, statistics: word, activity: { answers: count, is_busy: true } },
		// the order of attributes, and those that have no value
		fields: [count > 7 ? { ...reverse(field), answers: count } : { ...field, answers: count }],
		...(count > 7 && { is_new: false, tags: [], note: '' }),
	});

	/** The attributes that have changed. */
	const find = (before: IDataObject, after: IDataObject) =>
		findChangedAttributes(fingerprintAttributes(before), fingerprintAttributes(after));

	it.each<[string, IDataObject, string[]]>([
		['is renamed', { name: '2026' }, ['name']],
		['is closed', { is_closed: 1, closed_message: 'x' }, ['closed_message', 'is_closed']],
		['has a limit', { responses_limit: '10', answers_max: 3 }, ['answers_max', 'responses_limit']],
		['has a number', { columns: 2 }, ['columns']],
		['has a setting of 0 or 1', { include_response_in_email: 1 }, ['include_response_in_email']],
		['has a longer field', { fields: [{ ...field, max_length: 9 }] }, ['fields']],
		['has another setting', { theme: { color: 'red' } }, ['theme']],
		['has another field', { fields: [field, { uuid: 'g', label: 'City' }] }, ['fields']],
		['has no field', { fields: [] }, ['fields']],
		['has a renamed field', { fields: [{ ...field, label: '2026' }] }, ['fields']],
	])('starts the workflow if a form %s, or no more', (_text, changes, changed) => {
		expect(find(form, { ...form, ...changes })).toEqual(changed);
		expect(find({ ...form, ...changes }, form)).toEqual(changed);
	});

	it('starts nothing for what changes by itself', () => {
		const before = { ...form, ...passive('now', 7) };
		const after = { ...passive('later', 8), ...form, ...passive('later', 8) };
		expect(find(before, after)).toEqual([]);
	});
});
