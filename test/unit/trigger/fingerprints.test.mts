import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import {
	computeAnswersFingerprint,
	haveAnswersChanged,
} from '../../../nodes/FormService/trigger/fingerprints.ts';

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
	'another choice is yes': [change({ Tags: { Red: true } }), change({ Tags: { Blue: true } })],
	'another row of a matrix is chosen': [
		change({ Tags: { Food: 'good', Room: 'bad' } }),
		change({ Tags: { Food: 'bad', Room: 'good' } }),
	],
	'another file is uploaded': [
		change({ Tags: 'a.pdf|https://host/a.pdf?sig=1' }),
		change({ Tags: 'b.pdf|https://host/b.pdf?sig=1' }),
	],
	'another file is uploaded beside a file': [
		change({ Tags: 'a.pdf|https://host/a.pdf?sig=1, b.pdf|https://host/b.pdf?sig=1' }),
		change({ Tags: 'c.pdf|https://host/c.pdf?sig=1, b.pdf|https://host/b.pdf?sig=1' }),
	],
	'an address that is no file has another query': [
		change({ Tags: 'https://host/search?q=1' }),
		change({ Tags: 'https://host/search?q=2' }),
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
	'choices become an object of PHP': { responses: change({ Tags: { 0: 'A', 2: 'B' } }) },
	'parts of an object without a value are left out': {
		responses: change({ City: { street: null, zip: '' } }),
	},
	'choices become a text': { responses: change({ Tags: 'A, B' }) },
	'a number becomes a text': { responses: change({ Age: '36' }) },
	'a field is added': { responses: list({ New: '', ...given, Last: [] }) },
	'unanswered fields are left out': { responses: list(answered) },
	'an answer moves to the next field': { responses: change({ Tags: null, City: ['A', 'B'] }) },
	'a field is renamed': { responses: list({ 'Full name': Name, ...others }) },
	'the reply has no answers for once': { responses: undefined },
};

const sign = (address: string, n: number) => ({
	'by S3': `${address}?X-Amz-Date=2026112${n}&X-Amz-Signature=${n}`,
	'by Azure': `${address}?sv=2026&se=2026-11-2${n}&sig=${n}%3D`,
	'by a framework': `${address}?expires=176${n}&signature=${n}`,
});

const files: Record<string, (address: string) => unknown> = {
	'a name and an address': (address) => `cv.pdf|${address}`,
	'a name without an extension': (address) => [`scan|${address}`, `what? (1).jpg|${address}`],
	'an address': (address) => address,
	'an object': (address) => [{ name: 'cv.pdf', url: address, size: 7 }],
	'a part of an object': (address) => ({ files: [{ filename: 'cv.pdf', url: address }] }),
};

it.each(Object.keys(files))('A file that is %s is the same with another signature', (shape) => {
	for (const path of ['https://host.example/files/7/cv.pdf', 'https://host.example/files/7']) {
		for (const way of ['by S3', 'by Azure', 'by a framework'] as const) {
			const [before, after] = [1, 2].map((n) => ({
				responses: change({ Tags: files[shape](sign(path, n)[way]) as IDataObject }),
			}));
			expect(isUpdate(before, after), `${path}, signed ${way}`).toBe(false);
		}
	}
});

it.each(Object.entries(noUpdates))('A response is not updated if %s', (_text, after) => {
	expect(isUpdate({ responses: same }, { responses: same, ...after })).toBe(false);
});

it('A response is not updated if a field with a UUID is renamed and moved, or parts of an answer are', () => {
	const name = { uuid: 'n', label: 'Name', value: 'Ada' };
	const place = { uuid: 'p', label: 'Place', value: { street: 'A', zip: 1 } };
	const moved = { uuid: 'p', label: 'Address', value: { zip: 1, street: 'A' } };
	const before = { responses: [name, place] };
	expect(isUpdate(before, { responses: [moved, name] })).toBe(false);
	expect(isUpdate(before, { responses: [moved, { ...name, value: 'Bob' }] })).toBe(true);
});
