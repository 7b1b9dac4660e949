import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { time } from '../n8n/package.mts';
import { withWorld, type World } from '../world.mts';
import { DAY_MS, HOUR_MS, newForm, tick, watch } from './watching.mts';

/** A workflow that has begun to watch a form, with items by custom key in columns. */
async function watching({ service, n8n }: World, options: INodeParameters) {
	const form = newForm(service);
	const trigger = watch(n8n, form, {
		options: { answerKeys: 'customKey', columns: true, ...options },
	});
	await trigger.poll();
	return {
		submit: (name: string) => service.store.addResponse(form, { answers: { Name: name } }),
		/** The columns `Name` of the items of a poll. */
		poll: async () => (await trigger.poll(tick)).map(({ json }) => json.Name),
		requests: () => service.requests.length,
		fieldRequests: () => service.requests.filter(({ path }) => path.endsWith('/fields')).length,
		service,
	};
}

describe('The fields of a form, which columns are made of,', () => {
	it('count in Requests per Day: the next poll comes as much later', async () =>
		await withWorld(async (world) => {
			const { submit, poll, requests } = await watching(world, { requestsPerDay: 2 });
			submit('Ada');
			await time.sleep(DAY_MS / 2);
			expect(await poll()).toEqual(['Ada']);
			expect(requests()).toBe(4);
			submit('Grace');
			await time.sleep(1.4 * DAY_MS);
			expect(await poll()).toEqual([]);
			await time.sleep(0.1 * DAY_MS);
			expect(await poll()).toEqual(['Grace']);
		}));

	it('are read once an hour for a form that delivers', async () =>
		await withWorld(async (world) => {
			const { submit, poll, fieldRequests } = await watching(world, {
				requestsPerDay: 8_640_000_000,
			});
			for (const name of ['Ada', 'Grace']) {
				submit(name);
				expect(await poll()).toEqual([name]);
			}
			expect(fieldRequests()).toBe(1);
			await time.sleep(HOUR_MS);
			expect(await poll()).toEqual([]);
			expect(fieldRequests()).toBe(1);
			submit('Edsger');
			expect(await poll()).toEqual(['Edsger']);
			expect(fieldRequests()).toBe(2);
		}));

	it('are those known before while they cannot be read again', async () =>
		await withWorld(async (world) => {
			const { submit, poll, service } = await watching(world, { requestsPerDay: 8_640_000_000 });
			submit('Ada');
			expect(await poll()).toEqual(['Ada']);
			await time.sleep(HOUR_MS);
			service.faults.set({ fault: 'unavailable', match: { path: /fields$/ } });
			submit('Grace');
			expect(await poll()).toEqual(['Grace']);
		}));

	it('hold a response up, and lose none, while they have never been read', async () =>
		await withWorld(async (world) => {
			const { submit, poll, service } = await watching(world, { requestsPerDay: 720 });
			submit('Ada');
			await time.sleep(HOUR_MS);
			const end = service.faults.set({ fault: 'unavailable', match: { path: /fields$/ } });
			expect(await poll()).toEqual([]);
			end();
			await time.sleep(HOUR_MS);
			expect(await poll()).toEqual(['Ada']);
		}));
});
