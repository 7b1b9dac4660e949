import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	computeAttributeFingerprints,
	findChangedAttributes,
} from '../../../../nodes/FormService/trigger/forms/compareForms.ts';

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
		findChangedAttributes(
			computeAttributeFingerprints(before),
			computeAttributeFingerprints(after),
		);

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
