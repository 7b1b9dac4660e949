import type { INodeExecutionData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { slow, status } from '../../service/index.mts';
import { time } from '../harness.mts';
import { running } from '../world.mts';
import { addForm, begin, HOUR_MS, namesIn, tick, watch } from './watching.mts';

const world = await running();
const { service, n8n } = world;
const { store } = service;

/** What items say: the event, the form's name, and who submitted it. */
const describeItems = (items: INodeExecutionData[]) =>
	items.map(({ json }) => {
		const { event, form, answers } = json as Record<string, Record<string, unknown>>;
		return [event, form.name, ...(answers === undefined ? [] : [answers.Name])].join(' ');
	});

describe('A trigger on one form', () => {
	it('starts the workflow once for each new response, simplified, and not for earlier ones', async () => {
		const { form, submit } = addForm(world);
		submit('before');
		await time.sleep(1_000);
		const trigger = watch(n8n, form);
		// n8n before 2.38 does not say how long a poll may take
		const old = { budgetMs: null };
		expect(await trigger.poll(old)).toEqual([]);
		const uuid = submit('Ada');
		const event = { event: 'responseCompleted', form: { id: form, name: 'Watched' } };
		const [{ json }, ...others] = await trigger.poll(old);
		expect([json, others]).toMatchObject([
			{ ...event, uuid, number: 2, answers: { Name: 'Ada' } },
			[],
		]);
		expect(json).not.toHaveProperty('hubspot_sync');
		expect(await trigger.poll(old)).toEqual([]);
	});

	it.each([
		['Sale (closed)', 'Sale (closed)'],
		['Sale', 'Sale\u00a0(closed)'],
		['Sale', 'Sale'],
	])('names the form %s that the editor stored as %s', async (name, cachedResultName) => {
		const { form, submit } = addForm(world, name);
		const formId = { __rl: true, mode: 'list', value: form, cachedResultName };
		const trigger = watch(n8n, form, { formId });
		await trigger.poll();
		submit('Ada');
		const [item] = await trigger.poll();
		expect(item.json.form).toEqual({ id: form, name });
	});

	it('delivers without a form name if the list of forms hangs, and asks again later', async () => {
		const { form, submit, trigger } = await begin(world);
		submit('Ada');
		service.faults.set({ fault: slow(HOUR_MS), match: { path: /forms$/ } });
		const before = time.now();
		const [item] = await trigger.poll(tick);
		expect(item.json.form).toEqual({ id: form, name: null });
		expect(time.now() - before).toBeLessThan(5_000);
		service.faults.clear();
		await time.sleep(2 * HOUR_MS);
		submit('Grace');
		expect(await trigger.poll(tick)).toMatchObject([{ json: { form: { name: 'Watched' } } }]);
	});

	it('starts the workflow when a response was incomplete for the hours that are set', async () => {
		const parameters = { events: ['responseAbandoned'], abandonedAfterHours: 2 };
		const { submit, trigger } = await begin(world, parameters);
		submit('Ada', true);
		await time.sleep(HOUR_MS);
		// the trigger finds it now, but the hours count from when it was begun
		expect(await trigger.poll(tick)).toEqual([]);
		await time.sleep(1.1 * HOUR_MS);
		expect(describeItems(await trigger.poll(tick))).toEqual(['responseAbandoned Watched Ada']);
	});
});

it('A trigger on several forms watches only these, and names them with one list of the forms', async () => {
	const [a, b, c] = ['A', 'B', 'C'].map((name) => addForm(world, name));
	const trigger = watch(n8n, '', { watch: 'several', formIds: [a.form, b.form] });
	await trigger.poll();
	for (const { submit } of [b, a, c]) submit('Ada');
	const items = describeItems(await trigger.poll(tick)).sort();
	expect(items).toEqual(['responseCompleted A Ada', 'responseCompleted B Ada']);
	expect(c.countRequests()).toBe(0);
	expect(service.requests.filter(({ path }) => path.endsWith('/forms'))).toHaveLength(1);
});

describe('A trigger that downloads files', () => {
	const data = new TextEncoder().encode('Computing machinery');

	/** A trigger, and a response with these files that comes after its first poll. */
	async function beginWith(...first: string[]) {
		const options = { downloadFiles: true };
		const { form, trigger } = await begin(world, { options });
		const submit = (...names: string[]) => {
			const Name = names.map((name) => {
				const { id } = store.addFile({ type: 'text/plain', data });
				return `${name}|${service.url}/files/${id}/${name}`;
			});
			store.addResponse(form, { answers: { Name } });
		};
		submit(...first);
		return { ...trigger, submit };
	}

	it('waits for a slow file until the poll ends, and delivers further responses later', async () => {
		const trigger = await beginWith('slow.txt');
		trigger.submit('next.txt');
		service.faults.set({ fault: slow(30_000), match: { path: /files/ } });
		for (const fileName of ['slow.txt', 'next.txt']) {
			const [item, ...others] = await trigger.poll(tick);
			expect([item.json.fileError, others]).toEqual([undefined, []]);
			expect(item.binary?.name).toMatchObject({ fileName, mimeType: 'text/plain' });
		}
	});

	it.each([
		[503, 3, undefined],
		[503, 4, expect.stringMatching('lost.txt: ')],
		// it is gone
		[410, 1, expect.stringMatching('lost.txt: .*410')],
	])(
		'tries a file again that may come back, and delivers without it (%i, %i times)',
		async (code, times, fileError) => {
			const trigger = await beginWith('first.txt', 'lost.txt', 'last.txt');
			service.faults.set({ fault: status(code, 'Later'), match: { path: /lost/ }, times });
			const [item] = await trigger.poll(tick);
			expect(Object.keys(item.binary ?? {})).toHaveLength(fileError === undefined ? 3 : 2);
			expect(item.json.fileError).toEqual(fileError);
		},
	);
});

it('A poll that overlaps another sends no request of its own', async () => {
	const { submit, countRequests, trigger } = await begin(world);
	submit('Ada');
	service.faults.set({ fault: slow(200) });
	const polls = await Promise.all([trigger.poll(tick), trigger.poll(tick)]);
	expect(namesIn(polls.flat())).toEqual(['Ada']);
	expect(countRequests()).toBe(2);
});
