import { beforeEach, describe, expect, it } from 'vitest';
import { slow } from '../../service/index.mts';
import { time } from '../harness.mts';
import { running } from '../world.mts';
import { namesIn, newForm, watch } from './watching.mts';

const { service, n8n } = await running();
const { store } = service;
let form: string;
const submit = (name: string) => store.addResponse(form, { answers: { Name: name } });
const listings = () => service.requests.filter(({ path }) => path.includes(form)).length;

/** A tick of n8n's durable mode with this much time. */
const tick = (budgetMs = 36_000) => ({ activation: 'update' as const, budgetMs });

beforeEach(() => {
	form = newForm(service);
});

describe('A tick of n8n', () => {
	it('sends nothing before the next poll is due', async () => {
		const trigger = watch(n8n, form, { options: { requestsPerDay: 720 } });
		await trigger.poll();
		submit('Ada');
		expect(await trigger.poll(tick())).toEqual([]);
		expect(listings()).toBe(1);
	});

	it('that overlaps another sends no request of its own', async () => {
		const trigger = watch(n8n, form);
		await trigger.poll();
		submit('Ada');
		service.faults.set({ fault: slow(200) });
		const polls = await Promise.all([trigger.poll(tick()), trigger.poll(tick())]);
		expect(namesIn(polls.flat())).toEqual(['Ada']);
		expect(listings()).toBe(2);
	});

	it('sends one request for each page, also when one of them fails', async () => {
		Object.assign(service.shapes, { paging: 'number', pageSize: 2, order: 'random' });
		for (let number = 0; number < 6; number++) submit(`Old ${number}`);
		const trigger = watch(n8n, form);
		await trigger.poll();
		expect(listings()).toBe(3);
		service.faults.set({ fault: 'serverError', match: { path: /page=2/ } });
		await trigger.poll(tick());
		expect(listings()).toBe(5);
	});
});

describe('The time that n8n gives a poll', () => {
	it('ends the listing in good order: what was read is delivered, the rest comes next', async () => {
		const trigger = watch(n8n, form);
		await trigger.poll();
		for (const name of ['Ada', 'Grace', 'Edsger', 'Alan']) submit(name);
		Object.assign(service.shapes, { paging: 'linkAbsolute', pageSize: 1, order: 'asc' });
		const end = service.faults.set({ fault: slow(5_000) });
		// new pages are begun for 12 s
		const first = namesIn(await trigger.poll(tick(20_000)));
		expect(first.length).toBeGreaterThan(0);
		expect(first.length).toBeLessThan(4);
		end();
		const second = namesIn(await trigger.poll(tick()));
		expect([...first, ...second]).toEqual(['Ada', 'Grace', 'Edsger', 'Alan']);
	});

	it('ends a request that gets no reply, and the next poll makes up for it', async () => {
		const trigger = watch(n8n, form);
		await trigger.poll();
		submit('Ada');
		const end = service.faults.set({ fault: 'silentBefore' });
		const before = time.now();
		expect(await trigger.poll(tick(5_000))).toEqual([]);
		expect(time.now() - before).toBeLessThan(20_000);
		end();
		// publishing the workflow with another choice of events polls at once
		const events = ['responseCompleted', 'responseStarted'];
		expect(namesIn(await trigger.poll(tick(), { events }))).toEqual(['Ada']);
	});

	it('is not asked of versions of n8n that do not know it', async () => {
		const trigger = watch(n8n, form);
		await trigger.poll({ noBudget: true });
		submit('Ada');
		expect(namesIn(await trigger.poll({ noBudget: true }))).toEqual(['Ada']);
	});
});

describe('Parameters that cannot be used', () => {
	it.each([
		[{ options: { maxPerPoll: 0 } }, "'Max Responses per Poll' must be a whole number"],
		[{ options: { requestsPerDay: 'many' } }, "'Requests per Day' must be a whole number"],
		[{ events: [] }, "'Trigger On' is empty"],
	])('are named when the workflow is published (%j)', async (parameters, message) => {
		await expect(watch(n8n, form, parameters).poll()).rejects.toThrow(message);
		expect(listings()).toBe(0);
	});

	it('are not told at each tick', async () => {
		const trigger = watch(n8n, form);
		await trigger.poll();
		const broken = { events: [] };
		expect(await trigger.poll(tick(), broken)).toEqual([]);
		expect(await trigger.poll(tick(), broken)).toEqual([]);
		submit('Ada');
		expect(namesIn(await trigger.poll(tick()))).toEqual(['Ada']);
	});
});
