import type { INodeParameters, INodePropertyOptions } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { Shapes } from '../../service/index.mts';
import { time } from '../harness.mts';
import { withWorld, type World } from '../world.mts';
import { HOUR_MS, tick, watch } from './watching.mts';

const condition = (field: string, value: string, operator = 'is') => ({ field, operator, value });

const filters = (match: 'all' | 'any', ...conditions: INodeParameters[]): INodeParameters => ({
	filters: { match, conditions: { conditions } },
});

/** A workflow that has begun to watch a form with two fields. */
async function watching(world: World, parameters: INodeParameters) {
	const { service, n8n } = world;
	const fields = [{ label: 'Name', customKey: 'name_key' }, { label: 'City' }];
	const { id } = service.store.addForm({ name: 'Watched', fields });
	const trigger = watch(n8n, id, parameters);
	await trigger.poll();
	return {
		id,
		field: service.store.fields(id)[0],
		submit: (Name: string, City = '') =>
			service.store.addResponse(id, { answers: { Name, City } }).uuid,
		poll: async () => (await trigger.poll(tick)).map(({ json }) => json.uuid),
	};
}

describe('The list of fields for conditions', () => {
	it('has the fields of all forms with Form Created, whatever Watch was before', async () =>
		await withWorld(async ({ service, n8n }) => {
			service.store.addForm({ name: 'A', fields: [{ label: 'Favourite pet' }] });
			const events = ['formCreated', 'responseCompleted'];
			const list = async (parameters: INodeParameters) =>
				(
					await n8n.callMethod<INodePropertyOptions[]>(
						'loadOptions',
						'getConditionFields',
						parameters,
					)
				).map(({ name }) => name);
			expect(await list({ watch: 'one', events })).toContain('Favourite pet');
			expect(await list({ events })).toContain('Favourite pet');
		}));
});

describe('Match', () => {
	it('lets a response through that meets any of the conditions', async () =>
		await withWorld(async (world) => {
			const any = filters('any', condition('Name', 'Ada'), condition('City', 'Paris'));
			const { submit, poll } = await watching(world, any);
			const wanted = [submit('Ada', 'Rome'), submit('Grace', 'Paris')];
			submit('Grace', 'Rome');
			expect((await poll()).sort()).toEqual(wanted.sort());
		}));

	it('lets only responses through that meet all of them', async () =>
		await withWorld(async (world) => {
			const all = filters('all', condition('Name', 'Ada'), condition('City', 'Paris'));
			const { submit, poll } = await watching(world, all);
			submit('Ada', 'Rome');
			const wanted = submit('Ada', 'Paris');
			expect(await poll()).toEqual([wanted]);
		}));
});

describe('A condition', () => {
	const names = ['label', 'uuid', 'customKey'] as const;
	const shapes: Array<Shapes['mapAnswers']> = ['pairs', 'list', 'map'];
	it.each(names.flatMap((name) => shapes.map((shape) => [name, shape] as const)))(
		'finds its field by %s where answers come as %s',
		async (name, mapAnswers) =>
			await withWorld(async (world) => {
				world.service.shapes.mapAnswers = mapAnswers;
				const none = await watching(world, {});
				const trigger = watch(world.n8n, none.id, {
					...filters('all', condition(none.field[name]!, 'Ada')),
				});
				await trigger.poll();
				none.submit('Grace');
				const wanted = none.submit('Ada');
				expect((await trigger.poll(tick)).map(({ json }) => json.uuid)).toEqual([wanted]);
			}),
	);

	it('on a field that the form does not have is an error when the workflow is activated', async () =>
		await withWorld(async (world) => {
			const trigger = watching(world, filters('all', condition('Nmae', 'Ada')));
			await expect(trigger).rejects.toMatchObject({
				message: 'The form has no field "Nmae"',
				description: expect.stringContaining('"Name", "City"'),
			});
		}));

	it('on such a field is an error when a workflow that is active is published with it', async () =>
		await withWorld(async (world) => {
			const { id } = await watching(world, {});
			const trigger = watch(world.n8n, id, { options: { requestsPerDay: 720 } });
			await trigger.poll();
			const published = trigger.poll({}, filters('all', condition('Nmae', 'Ada')));
			await expect(published).rejects.toThrow('no field "Nmae"');
			expect(await trigger.poll({}, filters('all', condition('Name', 'Ada')))).toEqual([]);
		}));

	it('on such a field is an error of Fetch Test Event too', async () =>
		await withWorld(async (world) => {
			const { id, submit } = await watching(world, {});
			submit('Ada');
			const trigger = watch(world.n8n, id, filters('all', condition('Nmae', 'Ada')));
			await expect(trigger.poll({ mode: 'manual' })).rejects.toThrow('no field "Nmae"');
		}));

	it('on a field that was renamed later is reported once, and loses no response', async () =>
		await withWorld(async (world) => {
			const { n8n, service } = world;
			const fields = [{ label: 'Name' }];
			const forms = ['A', 'B'].map((name) => service.store.addForm({ name, fields }).id);
			const parameters = { watch: 'several', formIds: forms };
			const named = filters('all', condition('Name', 'Ada'));
			const trigger = watch(n8n, '', { ...parameters, ...named });
			await trigger.poll();
			const [{ uuid }] = service.store.fields(forms[0]);
			service.store.renameField(uuid, 'Full name');
			const renamed = service.store.addResponse(forms[0], { answers: { 'Full name': 'Ada' } }).uuid;
			const problems: string[] = [];
			for (let hour = 0; hour < 8; hour++) {
				await time.sleep(HOUR_MS);
				const items = await trigger.poll(tick).catch((error: Error) => {
					problems.push(error.message);
					return [];
				});
				expect(items).toEqual([]);
			}
			expect(problems).toEqual([expect.stringContaining('no field "Name"')]);
			const corrected = filters('all', condition('Full name', 'Ada'));
			const items = await trigger.poll({}, corrected);
			expect(items.map(({ json }) => json.uuid)).toEqual([renamed]);
		}));
});
