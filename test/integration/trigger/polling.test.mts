import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { faultTable, slow, type FaultName } from '../../service/index.mts';
import { n8nFor, time } from '../harness.mts';
import { withWorld, type World } from '../world.mts';
import { DAY_MS, HOUR_MS, MINUTE_MS, namesIn, tick, watch } from './watching.mts';

/** So many forms with one response each. */
function newForms({ service: { store } }: World, count: number): string[] {
	return Array.from({ length: count }, (_, index) => {
		const fields = [{ label: 'Name' }];
		const { id } = store.addForm({ name: `Form ${index}`, fields, trackIncomplete: true });
		store.addResponse(id, { answers: { Name: 'before' } });
		return id;
	});
}

const submit = ({ service }: World, form: string, name: string, incomplete = false) =>
	service.store.addResponse(form, { answers: { Name: name }, incomplete }).uuid;

const countRequests = ({ service }: World, path: RegExp) =>
	service.requests.filter((request) => path.test(request.path)).length;

/** Polls, so long after one another: the names that they deliver, and the errors that people see. */
async function pollFor(trigger: ReturnType<typeof watch>, polls: number, stepMs = MINUTE_MS) {
	const names: unknown[] = [];
	const errors: Array<Error & { description?: string }> = [];
	for (let poll = 0; poll < polls; poll++) {
		await time.sleep(stepMs);
		const items = await trigger.poll(tick).catch((error: Error) => {
			errors.push(error);
			return [];
		});
		names.push(...namesIn(items));
	}
	return { names, errors };
}

const daily = (requestsPerDay: number) => ({ options: { requestsPerDay } });

describe('A poll that fails', () => {
	const names = (Object.keys(faultTable) as FaultName[]).filter((name) => name !== 'gzip');

	it.each(names)(
		'changes nothing, and another delivers: %s',
		async (fault) =>
			await withWorld(async (world) => {
				const { store, faults, requests, url } = world.service;
				const [form] = newForms(world, 1);
				const trigger = watch(world.n8n, form);
				await trigger.poll();
				submit(world, form, 'Ada');
				const before = trigger.saved();
				requests.length = 0;
				faults.set({ fault });
				expect(await trigger.poll({ activation: 'update', budgetMs: 1_500 })).toEqual([]);
				expect(trigger.saved()).toEqual(before);
				expect(requests.length).toBeLessThanOrEqual(1);
				faults.clear();
				// what the service refused to one token is nothing to another
				const accessToken = 'another-token';
				store.addToken(store.firstAccount()!.id, accessToken);
				trigger.use(n8nFor({ accessToken, baseUrl: url }));
				expect(namesIn(await trigger.poll())).toEqual(['Ada']);
				expect(await trigger.poll()).toEqual([]);
			}),
	);

	it('says that the trigger keeps trying, and the back-off ends with the failure', async () =>
		await withWorld(async (world) => {
			const [form] = newForms(world, 1);
			const trigger = watch(world.n8n, form, daily(720));
			await trigger.poll();
			const end = world.service.faults.set({ fault: 'forbidden' });
			const [{ description }, ...others] = (await pollFor(trigger, 50)).errors;
			expect(description).toMatch(/The trigger keeps trying, and no response is lost\.$/);
			expect(others).toEqual([]);
			end();
			// a person publishes the workflow again
			expect(await trigger.poll()).toEqual([]);
			submit(world, form, 'Ada');
			expect((await pollFor(trigger, 4)).names).toEqual(['Ada']);
		}));
});

describe('Requests per Day', () => {
	it('are kept over a day: 144 requests for three forms, and every response arrives once', async () =>
		await withWorld(async (world) => {
			const formIds = newForms(world, 3);
			const trigger = watch(world.n8n, '', { watch: 'several', formIds, ...daily(144) });
			await trigger.poll();
			const { requests } = world.service;
			requests.length = 0;
			const submitted = formIds.map((form) => submit(world, form, form));
			const { names } = await pollFor(trigger, DAY_MS / (5 * MINUTE_MS), 5 * MINUTE_MS);
			expect(names.sort()).toEqual([...formIds].sort());
			expect(submitted).toHaveLength(3);
			expect(requests.length).toBeLessThanOrEqual(1.1 * 144);
			expect(requests.length).toBeGreaterThan(0.8 * 144);
		}));

	it('serve the list of forms every two minutes where only Form Created is chosen', async () =>
		await withWorld(async (world) => {
			newForms(world, 1);
			const trigger = watch(world.n8n, '', { events: ['formCreated'], ...daily(720) });
			await trigger.poll();
			newForms(world, 1);
			await time.sleep(2 * MINUTE_MS);
			const [item] = await trigger.poll(tick);
			expect(item.json).toMatchObject({ event: 'formCreated', form: { name: 'Form 0' } });
			expect(countRequests(world, /responses/)).toBe(0);
		}));
});

describe('A response', () => {
	it('that is completed, reopened and completed again gives one event', async () =>
		await withWorld(async (world) => {
			const { store, faults } = world.service;
			const [form] = newForms(world, 1);
			const trigger = watch(world.n8n, form, { events: ['responseStarted', 'responseCompleted'] });
			await trigger.poll();
			const uuid = submit(world, form, 'Ada');
			expect(namesIn(await trigger.poll(tick))).toEqual(['Ada']);
			for (const incomplete of [true, false]) {
				store.response(uuid)!.isIncomplete = incomplete;
				expect(await trigger.poll(tick)).toEqual([]);
			}
			faults.clear();
		}));

	it('whose items n8n discarded is delivered again, once', async () =>
		await withWorld(async (world) => {
			const [form] = newForms(world, 1);
			const trigger = watch(world.n8n, form);
			await trigger.poll();
			submit(world, form, 'Ada');
			trigger.discard();
			expect(namesIn(await trigger.poll(tick))).toEqual(['Ada']);
			// n8n may still be saving for half a minute
			await time.sleep(MINUTE_MS);
			expect(namesIn(await trigger.poll(tick))).toEqual(['Ada']);
			expect(await trigger.poll(tick)).toEqual([]);
		}));

	it.each([-10, 10])(
		'is recognized by the time of the service, which is %i minutes ahead',
		async (ahead) =>
			await withWorld(
				async (world) => {
					const formIds = newForms(world, 2);
					const trigger = watch(world.n8n, '', { watch: 'several', formIds });
					const match = { path: new RegExp(formIds[1]) };
					world.service.faults.set({ fault: 'serverError', match });
					await trigger.poll();
					await time.sleep(3_000);
					const uuid = submit(world, formIds[1], 'new');
					world.service.faults.clear();
					await time.sleep(HOUR_MS);
					const items = await trigger.poll(tick);
					expect(items.map(({ json }) => json.uuid)).toEqual([uuid]);
				},
				{ now: () => time.now() + ahead * MINUTE_MS },
			),
	);

	it('that came while its form was excluded starts nothing when the form is watched again', async () =>
		await withWorld(async (world) => {
			const [a, b] = newForms(world, 2);
			const trigger = watch(world.n8n, '', { watch: 'all', exceptFormIds: [b] });
			await trigger.poll();
			submit(world, b, 'while excluded');
			await time.sleep(MINUTE_MS);
			await trigger.poll({}, { exceptFormIds: [] });
			await time.sleep(MINUTE_MS);
			const wanted = [submit(world, b, 'after'), submit(world, a, 'after')];
			await time.sleep(HOUR_MS);
			const items = await trigger.poll(tick, { exceptFormIds: [] });
			expect(items.map(({ json }) => json.uuid).sort()).toEqual(wanted.sort());
		}));

	it('that came while only Form Created was chosen starts nothing later', async () =>
		await withWorld(async (world) => {
			const [form] = newForms(world, 1);
			const trigger = watch(world.n8n, '', { watch: 'all' });
			await trigger.poll();
			expect(await trigger.poll({}, { events: ['formCreated'] })).toEqual([]);
			submit(world, form, 'Ada');
			await time.sleep(2 * HOUR_MS);
			expect(await trigger.poll(tick, { events: ['formCreated'] })).toEqual([]);
			await time.sleep(MINUTE_MS);
			expect(await trigger.poll()).toEqual([]);
			await time.sleep(MINUTE_MS);
			submit(world, form, 'Grace');
			expect(await trigger.poll(tick)).toHaveLength(1);
		}));
});

it('A list of forms that hangs delays no response, which then has no form name', async () =>
	await withWorld(async (world) => {
		const [form] = newForms(world, 1);
		const trigger = watch(world.n8n, form);
		await trigger.poll();
		submit(world, form, 'Ada');
		world.service.faults.set({ fault: slow(HOUR_MS), match: { path: /forms$/ } });
		const before = time.now();
		const items = await trigger.poll(tick);
		expect(items.map(({ json }): IDataObject => json.form as IDataObject)).toEqual([
			{ id: form, name: null },
		]);
		expect(time.now() - before).toBeLessThan(5_000);
	}));
