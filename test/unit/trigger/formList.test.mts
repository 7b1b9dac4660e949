import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import {
	compareForms,
	fingerprintAttributes,
	indexForms,
} from '../../../nodes/FormService/trigger/formList.ts';
import type { FormStates } from '../../../nodes/FormService/trigger/triggerState.ts';

const START_MS = Date.UTC(2026, 10, 22, 12);

it('The list of all forms shows those that it had not when it was first read, oldest first, without excluded ones', () => {
	const at = (seconds: number) => new Date(START_MS + seconds * 1_000).toISOString();
	const parameters = {
		watch: { kind: 'all', except: ['excluded'] },
		events: ['formCreated'],
		lists: { responses: true },
	};
	const read = (forms: FormStates, records: IDataObject[]) => {
		const listedSinceMs = forms.size > 0 ? START_MS : undefined;
		const context = { parameters, startedAtMs: START_MS } as never;
		return compareForms(context, { forms, listedSinceMs }, indexForms(records));
	};
	const first = read(new Map(), [{ id: 'a', created_at: at(9) }]);
	expect(first.detected).toEqual([]);
	const times = { late: at(2), excluded: at(2), early: at(1), rounded: at(-60), old: at(-61) };
	const records = Object.entries({ ...times, timeless: undefined });
	const listed = records.map(([id, created_at]) => ({ id, created_at, name: ' ' }));
	// a form can be listed twice, and one without an ID cannot be polled
	const { detected, forms } = read(first.forms, [
		...listed,
		{ id: 'late', name: 'Again' },
		{ name: 'Nameless' },
	]);
	const names = ['old', 'rounded', 'early', 'late', 'timeless'];
	expect(detected.map(({ name }) => name)).toEqual(names);
	// all responses of a created form are new, and those of a form that was moved here may be existing
	const created = detected.filter(({ stateAfter }) => stateAfter.seen !== undefined);
	expect(created.map(({ name }) => name)).toEqual(names.slice(1));
	// no new form has a state until n8n has its event
	expect([...forms.keys()]).toEqual(['a', 'excluded']);
});

const field = { uuid: 'f', label: 'Name', number_of_stars: 5, options: ['1', '2'] };
const form: IDataObject = { name: 'Contact', is_closed: false, fields: [field] };

it.each<[string, IDataObject, string[]]>([
	['is renamed', { name: '2026' }, ['name']],
	['is closed', { is_closed: 1, closed_message: 'x' }, ['closed_message', 'is_closed']],
	['has another field', { fields: [field, { uuid: 'g', label: 'City' }] }, ['fields']],
	['has a field with more stars', { fields: [{ ...field, number_of_stars: 10 }] }, ['fields']],
	['has other statistics, times and images', { views: 9, updated_at: 'now', logo: 'x' }, []],
])('A form that %s has changed in its settings and fields alone', (_text, changes, changed) => {
	const [before, after] = [form, { ...form, ...changes }].map(fingerprintAttributes);
	const names = Object.keys({ ...before, ...after }).sort();
	expect(names.filter((name) => before[name] !== after[name])).toEqual(changed);
});
