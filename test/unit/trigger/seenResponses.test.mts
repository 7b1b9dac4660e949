import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import {
	computeAnswersFingerprint,
	forgetUnlisted,
	haveAnswersChanged,
} from '../../../nodes/FormService/trigger/responseEvents.ts';

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
