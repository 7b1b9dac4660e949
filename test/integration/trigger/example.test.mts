import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { NewField } from '../../service/store.mts';
import { time } from '../harness.mts';
import { running, createWorld } from '../world.mts';
import { addForm, begin, namesIn, tick, watch } from './watching.mts';

const world = await running();
const { n8n } = world;
const { store } = world.service;

const fetch = async (form: string, parameters: INodeParameters = {}) =>
	(await watch(n8n, form, parameters).poll({ mode: 'manual' })).map(({ json }) => json);

describe('Fetch Test Event', () => {
	it('shows the newest response, and takes nothing away from an active trigger', async () => {
		const { submit, trigger } = await begin(world);
		submit('Ada');
		submit('Grace');
		const before = trigger.saved();
		expect(namesIn(await trigger.poll({ mode: 'manual' }))).toEqual(['Grace']);
		expect(trigger.saved()).toEqual(before);
		expect(namesIn(await trigger.poll(tick))).toEqual(['Ada', 'Grace']);
	});

	it('shows the newest response of the newest of all forms that has one and is not excluded', async () => {
		const own = await createWorld();
		const forms: string[] = [];
		for (const name of ['Old', 'New', 'Empty', 'Empty', 'Empty', 'Empty', 'Excluded']) {
			const { form, submit } = addForm(own, name);
			if (name !== 'Empty') submit(`Of ${name}`);
			forms.push(form);
			await time.sleep(1_000);
		}
		const { poll } = watch(own.n8n, '', { watch: 'all', exceptFormIds: forms.slice(-1) });
		expect(namesIn(await poll({ mode: 'manual' }))).toEqual(['Of New']);
	});

	it('says that no response meets the filters, in place of an example that breaks them', async () => {
		const { form, submit } = addForm(world);
		submit('Grace');
		const conditions = [{ field: 'Name', operator: 'is', value: 'Ada' }];
		const fetching = fetch(form, { filters: { conditions: { conditions } } });
		await expect(fetching).rejects.toThrow('No response meets the filters yet');
	});
});

describe('Fetch Test Event on a form without responses', () => {
	const fields: NewField[] = [
		{ label: 'Name' },
		{ label: 'E-mail', type: 'email' },
		{ label: 'Age', type: 'number' },
		{ label: 'Start', type: 'date' },
		{ label: 'Size', type: 'dropdown', options: ['S', 'M'] },
		{ label: 'Toppings', type: 'multiple_choice', options: ['Olives', 'Basil', 'Ham'] },
		{ label: 'CV', type: 'file_upload' },
	];
	const addEmptyForm = () => store.addForm({ name: 'Empty', fields, trackIncomplete: true }).id;

	it.each([
		['responseCompleted', false],
		['responseStarted', true],
		['responseAbandoned', true],
	])('gives an example of %s with answers of the right types', async (event, isIncomplete) => {
		const form = addEmptyForm();
		const given = { watch: 'several', formIds: [form], events: [event] };
		expect(await fetch('', given)).toMatchObject([
			{
				example: true,
				event,
				form: { id: form, name: 'Empty' },
				is_incomplete: isIncomplete,
				answers: { Name: 'Example', Age: 1, Start: '2026-01-31' },
			},
		]);
	});

	it('has the columns that the first response will have', async () => {
		const form = addEmptyForm();
		const options = { columns: true, downloadFiles: true };
		const [example] = await fetch(form, { options });
		store.addResponse(form, { answers: { Name: 'Ada', Age: '36' } });
		const [real] = await fetch(form, { options });
		expect(real.response_example).toBeUndefined();
		expect(Object.keys(example).sort()).toEqual([...Object.keys(real), 'response_example'].sort());
		expect(example).toMatchObject({ Size: 'S', Toppings: ['Olives'], Age: 1 });
	});
});
