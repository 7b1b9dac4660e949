import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { NewField } from '../../service/store.mts';
import { withWorld, type World } from '../world.mts';
import { watch } from './watching.mts';

const kinds: NewField[] = [
	{ label: 'Name' },
	{ label: 'E-mail', type: 'email' },
	{ label: 'Age', type: 'number' },
	{ label: 'Start', type: 'date' },
	{ label: 'Size', type: 'dropdown', options: ['S', 'M'] },
	{ label: 'Toppings', type: 'multiple_choice', options: ['Olives', 'Basil', 'Ham'] },
	{ label: 'CV', type: 'file_upload' },
];

const newForm = ({ service }: World, fields = kinds, name = 'Empty') =>
	service.store.addForm({ name, fields, trackIncomplete: true }).id;

/** What Fetch Test Event shows. */
const fetch = async ({ n8n }: World, form: string, parameters: INodeParameters = {}) =>
	(await watch(n8n, form, parameters).poll({ mode: 'manual' })).map(({ json }) => json);

describe('Fetch Test Event on a form without responses', () => {
	it('gives an example with an answer of the right type to each field', async () =>
		await withWorld(async (world) => {
			const form = newForm(world);
			expect(await fetch(world, form)).toEqual([
				expect.objectContaining({
					example: true,
					event: 'responseCompleted',
					form: { id: form, name: 'Empty' },
					is_incomplete: false,
					answers: expect.objectContaining({ Name: 'Example', Age: 1, Start: '2026-01-31' }),
				}),
			]);
		}));

	it('has the columns that the first response will have', async () =>
		await withWorld(async (world) => {
			const form = newForm(world);
			const options = { columns: true, downloadFiles: true };
			const [example] = await fetch(world, form, { options });
			world.service.store.addResponse(form, { answers: { Name: 'Ada', Age: '36' } });
			const [real] = await fetch(world, form, { options });
			expect(real.example).toBeUndefined();
			expect(Object.keys(example).sort()).toEqual([...Object.keys(real), 'example'].sort());
			expect(example).toMatchObject({ Size: 'S', Toppings: ['Olives', 'Basil'], Age: 1 });
		}));

	it.each([
		['responseCompleted', false],
		['responseStarted', true],
		['responseAbandoned', true],
	])(
		'fits the event %s',
		async (event, isIncomplete) =>
			await withWorld(async (world) => {
				const [example] = await fetch(world, newForm(world), { events: [event] });
				expect(example).toMatchObject({ event, is_incomplete: isIncomplete });
			}),
	);

	it('says that no response meets the filters, in place of an example that breaks them', async () =>
		await withWorld(async (world) => {
			const form = newForm(world);
			world.service.store.addResponse(form, { answers: { Name: 'Grace' } });
			const conditions = [{ field: 'Name', operator: 'is', value: 'Ada' }];
			const filters = { conditions: { conditions } };
			await expect(fetch(world, form, { filters })).rejects.toThrow(
				'No response meets the filters yet',
			);
		}));

	it('never starts a running trigger', async () =>
		await withWorld(async (world) => {
			const trigger = watch(world.n8n, newForm(world), { options: { emitExisting: true } });
			expect(await trigger.poll()).toEqual([]);
			expect(await trigger.poll({ activation: 'update', budgetMs: 36_000 })).toEqual([]);
		}));

	it('takes the newest form where all are watched', async () =>
		await withWorld(async (world) => {
			const form = newForm(world, [{ label: 'City' }], 'New');
			const [example] = await fetch(world, '', { watch: 'several', formIds: [form] });
			expect(example).toMatchObject({
				form: { id: form, name: 'New' },
				answers: { City: 'Example' },
			});
		}));
});

describe('Fetch Test Event without any form', () => {
	it('says that all forms are excluded where they are', async () =>
		await withWorld(async (world) => {
			const forms = world.service.store.forms().map(({ id }) => id);
			const exceptFormIds = [...forms, newForm(world)];
			const fetching = fetch(world, '', { watch: 'all', exceptFormIds });
			await expect(fetching).rejects.toThrow('All forms are excluded');
		}));
});
