import { DateTime } from 'luxon';
import type { INodeExecutionData, INodeParameters, INodePropertyOptions } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { TIME_ZONE, type N8n } from '../harness.mts';
import { time } from '../n8n/package.mts';
import { withWorld, type World } from '../world.mts';
import { HOUR_MS, n8nOf, tick, watch } from './watching.mts';

const newForm = ({ service }: World, name: string) =>
	service.store.addForm({ name, fields: [{ label: 'Name' }], trackIncomplete: true }).id;

/** A response to a form, and when n8n polls next. */
const submit = ({ service }: World, form: string, name: string, incomplete = false) =>
	service.store.addResponse(form, { answers: { Name: name }, incomplete }).uuid;

/** What items say: the event, the form's name, and who submitted it. */
const told = (items: INodeExecutionData[]) =>
	items.map(({ json }) => {
		const { event, form, answers } = json as Record<string, Record<string, unknown>>;
		return [event, form.name, ...(answers === undefined ? [] : [answers.Name])].join(' ');
	});

const onAll = (n8n: N8n, parameters: INodeParameters = {}) =>
	watch(n8n, '', { watch: 'all', ...parameters });

const requests = ({ service }: World, path: RegExp) =>
	service.requests.filter((request) => path.test(request.path)).length;

describe('A trigger on all forms', () => {
	it('delivers new responses of each, with the form’s ID and name', async () =>
		await withWorld(async (world) => {
			const [a, b] = [newForm(world, 'A'), newForm(world, 'B')];
			submit(world, a, 'before');
			const trigger = onAll(world.n8n);
			expect(await trigger.poll()).toEqual([]);
			submit(world, a, 'Ada');
			await time.sleep(1_000);
			submit(world, b, 'Grace');
			const items = await trigger.poll(tick);
			expect(told(items)).toEqual(['responseCompleted A Ada', 'responseCompleted B Grace']);
			expect(items[0].json.form).toEqual({ id: a, name: 'A' });
			expect(await trigger.poll(tick)).toEqual([]);
		}));

	it('keeps the order of each form where another form has other attributes', async () => {
		const lists: Record<string, object[]> = { A: [], B: [] };
		const n8n = await n8nOf(({ url }, reply) => {
			const form = /responses\/(\w+)/.exec(url ?? '')?.[1];
			const data = form === undefined ? [{ id: 'A' }, { id: 'B' }] : lists[form];
			reply
				.setHeader('content-type', 'application/json')
				.end(JSON.stringify({ success: true, data }));
		});
		const trigger = onAll(n8n);
		await trigger.poll();
		const uuid = (digit: number) => `0b9d0f6e-5d8f-4c5c-9a55-00000000000${digit}`;
		// the numbers of A order its responses, and B has neither times nor numbers
		lists.A.push({ uuid: uuid(2), number: 2, created_at: '2026-01-01T00:00:00Z' });
		lists.A.push({ uuid: uuid(1), number: 1 });
		lists.B.push({ uuid: uuid(3) });
		const items = await trigger.poll(tick);
		const ofA = items.filter(({ json }) => (json.form as { id: string }).id === 'A');
		expect(items).toHaveLength(3);
		expect(ofA.map(({ json }) => json.number)).toEqual([1, 2]);
	});

	it('lists the forms once an hour, and watches a new one from its beginning', async () =>
		await withWorld(async (world) => {
			newForm(world, 'A');
			const events = ['responseCompleted', 'formCreated'];
			const trigger = onAll(world.n8n, { events });
			await trigger.poll();
			submit(world, newForm(world, 'New'), 'Ada');
			expect(await trigger.poll(tick)).toEqual([]);
			expect(requests(world, /\/forms$/)).toBe(1);
			await time.sleep(HOUR_MS);
			const items = await trigger.poll(tick);
			expect(told(items)).toEqual(['formCreated New', 'responseCompleted New Ada']);
			expect(await trigger.poll(tick)).toEqual([]);
			expect(requests(world, /\/forms$/)).toBe(2);
		}));

	it('goes on with the others when one fails, and tells of it once', async () =>
		await withWorld(async (world) => {
			const [a, b] = [newForm(world, 'A'), newForm(world, 'B')];
			const trigger = onAll(world.n8n);
			await trigger.poll();
			world.service.faults.set({ fault: 'forbidden', match: { path: new RegExp(a) } });
			const failures: string[] = [];
			const delivered: string[] = [];
			for (let hour = 0; hour < 8; hour++) {
				submit(world, b, `${hour}`);
				for (let poll = 0; poll < 2; poll++) {
					const items = await trigger.poll(tick).catch((error: Error) => {
						failures.push(error.message);
						return [];
					});
					delivered.push(...told(items));
				}
				await time.sleep(HOUR_MS);
			}
			expect(delivered).toHaveLength(8);
			expect(failures).toHaveLength(1);
			expect(failures[0]).toMatch(/status 403|access|allow/i);
		}));
});

describe('A trigger on several forms', () => {
	it('watches these, and names them by one list of the forms', async () =>
		await withWorld(async (world) => {
			const [a, b, c] = ['A', 'B', 'C'].map((name) => newForm(world, name));
			const trigger = watch(world.n8n, '', { watch: 'several', formIds: [a, b] });
			await trigger.poll();
			for (const form of [a, b, c]) submit(world, form, 'Ada');
			const items = await trigger.poll(tick);
			expect(told(items)).toEqual(['responseCompleted A Ada', 'responseCompleted B Ada']);
			expect(requests(world, new RegExp(c))).toBe(0);
			expect(requests(world, /\/forms$/)).toBe(1);
		}));

	it('is not activated without any', async () =>
		await withWorld(async ({ n8n }) => {
			const trigger = watch(n8n, '', { watch: 'several', formIds: [] });
			await expect(trigger.poll()).rejects.toThrow("'Form Names or IDs' is empty");
		}));

	it('are chosen from a list of the forms', async () =>
		await withWorld(async (world) => {
			const a = newForm(world, 'A');
			const options = await world.n8n.callMethod<INodePropertyOptions[]>('loadOptions', 'getForms');
			expect(options).toContainEqual(expect.objectContaining({ name: 'A', value: a }));
		}));
});

describe('Max Responses per Poll', () => {
	/** A trigger on three forms. */
	async function begin(world: World, maxPerPoll: number) {
		const forms = ['A', 'B', 'C'].map((name) => newForm(world, name));
		const options = { requestsPerDay: 8_640_000_000, maxPerPoll };
		const trigger = watch(world.n8n, '', { watch: 'several', formIds: forms, options });
		await trigger.poll();
		return { forms, trigger };
	}

	it('is shared: a form with many responses leaves room for the others in the same poll', async () =>
		await withWorld(async (world) => {
			const { forms, trigger } = await begin(world, 4);
			for (let number = 0; number < 10; number++) submit(world, forms[0], `${number}`);
			submit(world, forms[1], 'Ada');
			submit(world, forms[2], 'Grace');
			expect(told(await trigger.poll(tick)).sort()).toEqual([
				'responseCompleted A 0',
				'responseCompleted A 1',
				'responseCompleted B Ada',
				'responseCompleted C Grace',
			]);
		}));

	it('at 1 serves forms in turn, even if one of them gets a response before each poll', async () =>
		await withWorld(async (world) => {
			const { forms, trigger } = await begin(world, 1);
			submit(world, forms[0], '0');
			submit(world, forms[1], 'Ada');
			submit(world, forms[2], 'Grace');
			const delivered: string[] = [];
			for (let poll = 1; poll <= 6; poll++) {
				delivered.push(...told(await trigger.poll(tick)));
				await time.sleep(60_000);
				submit(world, forms[0], `${poll}`);
			}
			expect(delivered.slice(0, 3).sort()).toEqual([
				'responseCompleted A 0',
				'responseCompleted B Ada',
				'responseCompleted C Grace',
			]);
			expect(delivered).toHaveLength(6);
		}));
});

describe('A response that is abandoned', () => {
	it('starts the workflow at the first poll after the hours, counted from when it was begun', async () =>
		await withWorld(async (world) => {
			const form = newForm(world, 'A');
			const events = ['responseAbandoned'];
			const trigger = watch(world.n8n, form, { events });
			await trigger.poll();
			submit(world, form, 'Ada', true);
			await time.sleep(23 * HOUR_MS);
			// the trigger sees it for the first time now
			expect(await trigger.poll(tick)).toEqual([]);
			await time.sleep(HOUR_MS - 61_000);
			expect(await trigger.poll(tick)).toEqual([]);
			await time.sleep(2 * 61_000);
			expect(told(await trigger.poll(tick))).toEqual(['responseAbandoned A Ada']);
			expect(await trigger.poll(tick)).toEqual([]);
		}));

	it('starts the workflow after the hours, once, and its completion does as well', async () =>
		await withWorld(async (world) => {
			const form = newForm(world, 'A');
			const events = ['responseAbandoned', 'responseCompleted'];
			const trigger = watch(world.n8n, form, { events, abandonedAfterHours: 2 });
			await trigger.poll();
			const uuid = submit(world, form, 'Ada', true);
			await time.sleep(HOUR_MS);
			expect(await trigger.poll(tick)).toEqual([]);
			await time.sleep(1.1 * HOUR_MS);
			expect(told(await trigger.poll(tick))).toEqual(['responseAbandoned A Ada']);
			expect(await trigger.poll(tick)).toEqual([]);
			world.service.store.completeResponse(uuid);
			expect(told(await trigger.poll(tick))).toEqual(['responseCompleted A Ada']);
		}));
});

describe('Only When', () => {
	const onlyWhen = (value: string) => ({
		filters: { conditions: { conditions: [{ field: 'Name', operator: 'contains', value }] } },
	});

	it('holds back what does not meet the conditions, which counts as seen', async () =>
		await withWorld(async (world) => {
			const form = newForm(world, 'A');
			const trigger = watch(world.n8n, form);
			await trigger.poll();
			for (const name of ['Ada', 'Grace']) submit(world, form, name);
			const items = await trigger.poll(tick, onlyWhen('ada'));
			expect(told(items)).toEqual(['responseCompleted A Ada']);
			expect(await trigger.poll({}, onlyWhen('grace'))).toEqual([]);
			expect(await trigger.poll()).toEqual([]);
		}));

	it('takes a date without a zone for one of the workflow’s time zone', async () =>
		await withWorld(async (world) => {
			const form = newForm(world, 'A');
			const zone = { zone: TIME_ZONE };
			const now = DateTime.fromMillis(time.now(), zone);
			const after = (hours: number) =>
				now.plus({ hours }).toISO({ includeOffset: false, suppressMilliseconds: true });
			const onlyWhen = (value: string | null) => ({
				filters: {
					conditions: { conditions: [{ field: 'created_at', operator: 'after', value }] },
				},
			});
			const trigger = watch(world.n8n, form);
			await trigger.poll();
			submit(world, form, 'Ada');
			expect(await trigger.poll(tick, onlyWhen(after(1)))).toEqual([]);
			submit(world, form, 'Grace');
			const items = await trigger.poll(tick, onlyWhen(after(-1)));
			expect(told(items)).toEqual(['responseCompleted A Grace']);
		}));

	it('is refused where no response could ever meet it', async () =>
		await withWorld(async (world) => {
			const conditions = [{ field: 'Name', operator: 'greater', value: 'many' }];
			const trigger = watch(world.n8n, newForm(world, 'A'), {
				filters: { conditions: { conditions } },
			});
			await expect(trigger.poll()).rejects.toThrow(/needs? a number|be a number/);
		}));
});

describe('Fetch test event', () => {
	it('shows the newest response of the newest of all forms that has one', async () =>
		await withWorld(async (world) => {
			submit(world, newForm(world, 'Old'), 'Ada');
			await time.sleep(1_000);
			submit(world, newForm(world, 'New'), 'Grace');
			await time.sleep(1_000);
			newForm(world, 'Empty');
			const items = await onAll(world.n8n).poll({ mode: 'manual' });
			expect(told(items)).toEqual(['responseCompleted New Grace']);
		}));
});
