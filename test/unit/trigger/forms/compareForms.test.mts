import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { indexListedForms } from '../../../../nodes/FormService/trigger/formDetails.ts';
import { compareForms } from '../../../../nodes/FormService/trigger/forms/compareForms.ts';
import type { FormStates } from '../../../../nodes/FormService/trigger/triggerState.ts';

const START_MS = Date.UTC(2026, 10, 22, 12);

it('The list of all forms shows those created since it was first read, oldest first, without excluded ones', () => {
	const at = (seconds: number) => new Date(START_MS + seconds * 1_000).toISOString();
	const read = (forms: FormStates, records: IDataObject[]) =>
		compareForms(forms, indexListedForms(records), {
			watch: { kind: 'all', except: ['excluded'] },
			events: ['formCreated'],
			listedSinceMs: forms.size > 0 ? START_MS : undefined,
			...{ initialState: { seen: '' }, nowMs: START_MS },
		});
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
	expect(detected.map(({ form }) => form.name)).toEqual(['rounded', 'early', 'late', 'timeless']);
	// no new form has a state until n8n has its event
	expect([...forms.keys()]).toEqual(['a', 'excluded', 'old']);
});
