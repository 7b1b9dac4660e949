import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { slow } from '../../service/index.mts';
import { locator, time } from '../harness.mts';
import { running } from '../world.mts';
import { addForm, begin, HOUR_MS, namesIn, tick, watch } from './watching.mts';

const world = await running();
const { service, n8n } = world;
const { store } = service;

/** How often the list of all forms was requested. */
const countLists = () => service.requests.filter(({ path }) => path.endsWith('/forms')).length;

describe('A trigger on one form', () => {
	it('starts the workflow once for each new response, simplified, and not for earlier ones', async () => {
		const { form, submit } = addForm(world);
		submit('before');
		await time.sleep(1_000);
		const formId = { ...locator(form, 'list'), cachedResultName: `Sale (${form})` };
		const trigger = watch(n8n, form, { formId });
		// n8n before 2.38 does not say how long a poll may take
		const old = { budgetMs: null };
		expect(await trigger.poll(old)).toEqual([]);
		const uuid = submit('Ada');
		const event = { event: 'responseCompleted', form: { id: form, name: 'Sale' } };
		const [{ json }, ...others] = await trigger.poll(old);
		expect([json, others]).toMatchObject([
			{ ...event, uuid, number: 2, answers: { Name: 'Ada' } },
			[],
		]);
		expect(json).not.toHaveProperty('hubspot_sync');
		expect(await trigger.poll(old)).toEqual([]);
	});

	it('delivers without a form name if the list of forms hangs, and asks again later', async () => {
		const { form, submit, trigger } = await begin(world);
		submit('Ada');
		service.faults.set({ fault: slow(HOUR_MS), match: { path: /forms$/ } });
		const before = time.now();
		const [item] = await trigger.poll(tick);
		expect(item.json.form).toEqual({ id: form, name: null });
		expect(time.now() - before).toBeLessThan(tick.budgetMs);
		submit('Bob');
		await trigger.poll(tick);
		expect(countLists()).toBe(1);
		service.faults.clear();
		await time.sleep(2 * HOUR_MS);
		submit('Grace');
		expect(await trigger.poll(tick)).toMatchObject([{ json: { form: { name: 'Watched' } } }]);
	});
});

it('A trigger on several forms watches only these, and names them with one list of the forms', async () => {
	const [a, b, c] = ['A', 'B', 'C'].map((name) => addForm(world, name));
	const trigger = watch(n8n, '', { watch: 'several', formIds: [a.form, b.form, a.form] });
	await trigger.poll();
	for (const { submit } of [b, a, c]) submit('Ada');
	const items = (await trigger.poll(tick)).map(({ json }) => (json.form as IDataObject).name);
	expect(items.sort()).toEqual(['A', 'B']);
	expect([a, c].map(({ countRequests }) => countRequests())).toEqual([2, 0]);
	expect(countLists()).toBe(1);
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
		trigger.submit('lost.txt');
		service.faults.clear();
		service.faults.set({ fault: slow(HOUR_MS), match: { path: /files/ } });
		const before = time.now();
		const [item] = await trigger.poll(tick);
		expect(time.now() - before).toBeLessThanOrEqual(tick.budgetMs);
		expect(item.json.fileError).toMatch(/didn't reply|took/);
	});
});

it('A poll that overlaps another sends no request of its own', async () => {
	const { submit, countRequests, trigger } = await begin(world);
	submit('Ada');
	service.faults.set({ fault: slow(200) });
	const polls = await Promise.all([trigger.poll(tick), trigger.poll(tick)]);
	expect(namesIn(polls.flat())).toEqual(['Ada']);
	expect(countRequests()).toBe(2);
});
