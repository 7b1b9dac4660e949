import { describe, expect, it } from 'vitest';
import { status } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { createWorld, running } from '../world.mts';
import { addForm, begin, HOUR_MS, MINUTE_MS, pollFor, watch } from './watching.mts';

const world = await running();
const { n8n } = world;

describe('A form that no longer exists', () => {
	const gone = 'The form "Old Form" no longer exists';
	const advice = expect.stringMatching(/Choose the form again\./);

	it.each([
		['when the workflow is published', {}, 'responseCompleted'],
		['in the test event of its updates', { mode: 'manual' }, 'formUpdated'],
	] as const)('is named as the list had it %s', async (_text, options, event) => {
		const formId = { ...locator('gone42', 'list'), cachedResultName: 'Old Form' };
		const polling = watch(n8n, '', { formId, events: [event] }).poll(options);
		await expect(polling).rejects.toMatchObject({ message: gone, description: advice });
	});

	it('prevents neither publishing nor the delivery of the other forms', async () => {
		// the other triggers of this account have more Requests per Day
		const own = await createWorld();
		const { form, submit } = addForm(own);
		const options = { requestsPerDay: 720 };
		const trigger = watch(own.n8n, '', { watch: 'several', formIds: ['gone42', form], options });
		expect(await trigger.poll()).toEqual([]);
		submit('Ada');
		expect((await pollFor(trigger, 6, MINUTE_MS)).names).toEqual(['Ada']);
		// the missing form has waited longer than the other one, and none is due
		expect(await trigger.poll()).toEqual([]);
	});
});

describe('Parameters that cannot be used', () => {
	it.each([
		[{ events: [] }, "'Trigger On' is empty"],
		[{ watch: 'several', formIds: [] }, "'Form Names or IDs' is empty"],
		[{ watch: 'all', exceptFormIds: ['a/b'] }, "'Excluded Form Names or IDs' has an entry"],
		[{ options: { emitExistingSince: '' } }, "'Emit Existing Responses Since' is empty"],
	])('are named when the workflow is published (%j)', async (parameters, message) => {
		const { form, countRequests } = addForm(world);
		await expect(watch(n8n, form, parameters).poll()).rejects.toThrow(message);
		expect(countRequests()).toBe(0);
	});

	it('are reported by the third scheduled poll, then once an hour, and lose no response', async () => {
		const { submit, trigger } = await begin(world);
		for (let round = 0; round < 2; round++) {
			expect((await pollFor(trigger, 2, MINUTE_MS, { events: [] })).errors).toEqual([]);
			await pollFor(trigger, 1, MINUTE_MS);
		}
		submit('Ada');
		const { errors } = await pollFor(trigger, 62, MINUTE_MS, { events: [] });
		const first = { message: "'Trigger On' is empty" };
		expect(errors).toMatchObject(errors.length === 1 ? [first] : [first, first]);
		expect((await pollFor(trigger, 1, HOUR_MS)).names).toEqual(['Ada']);
	});
});

it('After a failure of the account, a poll reads no further form', async () => {
	const own = await createWorld();
	for (const name of ['A', 'B']) addForm(own, name);
	own.service.faults.set({ fault: 'unauthorized', match: { path: /^\/responses/ } });
	await watch(own.n8n, '', { watch: 'all' }).poll({ activation: 'init' });
	expect(own.service.requests.map(({ status: code }) => code)).toEqual([200, 401]);
});

it('A process of n8n that starts or takes over keeps a trigger active although Form Service fails', async () => {
	const own = await createWorld();
	const { form } = addForm(own);
	own.service.faults.set({ fault: status(500, 'Down') });
	for (const activation of ['init', 'leadershipChange'] as const)
		expect(await watch(own.n8n, form).poll({ activation })).toEqual([]);
	await expect(watch(own.n8n, form).poll()).rejects.toThrow('Down');
});
