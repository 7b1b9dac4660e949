import { describe, expect, it } from 'vitest';
import { time } from '../harness.mts';
import { withWorld, type World } from '../world.mts';
import { HOUR_MS, MINUTE_MS, tick, watch } from './watching.mts';

/** So many forms with one response each, and more requests needed to read them than there are in a day. */
function newForms({ service: { store } }: World, count: number): string[] {
	const ids = Array.from(
		{ length: count },
		(_, index) => store.addForm({ name: `Form ${index}`, fields: [{ label: 'Name' }] }).id,
	);
	for (const id of ids) store.addResponse(id, { answers: { Name: 'before' } });
	return ids;
}

describe('A response that came after the activation and before the first reading of its form', () => {
	it.each(['all', 'several'])(
		'is delivered once, and none from before (%s)',
		async (kind) =>
			await withWorld(
				async (world) => {
					const formIds = newForms(world, 30);
					const options = { requestsPerDay: 20 };
					const trigger = watch(world.n8n, '', { watch: kind, formIds, options });
					await trigger.poll();
					await time.sleep(10 * MINUTE_MS);
					const submitted = formIds.map(
						(id) => world.service.store.addResponse(id, { answers: { Name: 'new' } }).uuid,
					);
					const delivered: unknown[] = [];
					for (let hour = 0; hour < 24 * 6; hour++) {
						await time.sleep(HOUR_MS);
						delivered.push(...(await trigger.poll(tick)).map(({ json }) => json.uuid));
					}
					expect(delivered.sort()).toEqual(submitted.sort());
				},
				{ perMinute: 10_000, perDay: 100_000 },
			),
	);

	it.each([-10, 0, 10])(
		'is recognized by the service’s own time, which is %i minutes ahead of n8n’s',
		async (ahead) =>
			await withWorld(
				async (world) => {
					const formIds = newForms(world, 2);
					const trigger = watch(world.n8n, '', { watch: 'several', formIds });
					const failing = {
						fault: 'serverError',
						match: { path: new RegExp(formIds[1]) },
					} as const;
					world.service.faults.set(failing);
					await trigger.poll();
					await time.sleep(3_000);
					const { uuid } = world.service.store.addResponse(formIds[1], {
						answers: { Name: 'new' },
					});
					world.service.faults.clear();
					await time.sleep(HOUR_MS);
					const items = await trigger.poll(tick);
					expect(items.map(({ json }) => json.uuid)).toEqual([uuid]);
				},
				{ now: () => time.now() + ahead * MINUTE_MS },
			),
	);
});

it('A form that is watched again after it was excluded begins at that moment', async () =>
	await withWorld(async (world) => {
		const [a, b] = newForms(world, 2);
		const submit = (id: string, name: string) =>
			world.service.store.addResponse(id, { answers: { Name: name } }).uuid;
		const trigger = watch(world.n8n, '', { watch: 'all', exceptFormIds: [b] });
		await trigger.poll();
		submit(b, 'while excluded');
		await time.sleep(MINUTE_MS);
		world.service.faults.set({ fault: 'serverError', match: { path: new RegExp(b) } });
		await trigger.poll({}, { exceptFormIds: [] });
		await time.sleep(MINUTE_MS);
		const wanted = [submit(b, 'after'), submit(a, 'after')];
		world.service.faults.clear();
		await time.sleep(HOUR_MS);
		const items = await trigger.poll(tick, { exceptFormIds: [] });
		expect(items.map(({ json }) => json.uuid).sort()).toEqual(wanted.sort());
	}));
