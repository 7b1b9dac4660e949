import { describe, expect, it } from 'vitest';
import type { Shapes } from '../../service/index.mts';
import { time } from '../harness.mts';
import { running } from '../world.mts';
import { addForm, DAY_MS, MINUTE_MS, pollFor, watch } from './watching.mts';

const world = await running();
const { service, n8n } = world;

/** Minutes between two short polls of one request. */
const SHORT_POLL = 4;

/** A form with 1,000 responses in pages of 15, and a trigger that knows them. */
async function beginPaged(shapes: Partial<Shapes>) {
	// what other tests have sent does not count any more
	await time.sleep(DAY_MS);
	const { form, submit, countRequests } = addForm(world);
	for (let number = 0; number < 1_000; number++) submit(`Old ${number}`);
	Object.assign(service.shapes, { pageSize: 15, ...shapes });
	const trigger = watch(n8n, form, { options: { requestsPerDay: 720 } });
	expect(await trigger.poll()).toEqual([]);
	expect(countRequests()).toBe(67);
	/** What a poll after so many minutes delivers, and how many pages it asks for. */
	const poll = async (minutes: number) => {
		const before = countRequests();
		const { names } = await pollFor(trigger, 1, minutes * MINUTE_MS);
		return { names, requests: countRequests() - before };
	};
	return { submit, poll };
}

describe.each([
	['oldest first, by number', { paging: 'number', order: 'asc' }],
	['oldest first, by links', { paging: 'link', total: true, order: 'asc' }],
	['newest first, by cursors', { paging: 'cursor', total: true, order: 'desc' }],
] as const)('1,000 responses in pages of 15, %s', (_text, shapes) => {
	it('take one request while nothing happens, and up to three when responses come', async () => {
		const { submit, poll } = await beginPaged(shapes);
		expect(await poll(SHORT_POLL)).toEqual({ names: [], requests: 1 });
		submit('Ada');
		submit('Grace');
		const { names, requests } = await poll(SHORT_POLL);
		expect(names).toEqual(['Ada', 'Grace']);
		expect(requests).toBeLessThanOrEqual(2);
		// the list of forms was read for the form's name
		expect(await poll(2 * SHORT_POLL)).toEqual({ names: [], requests: 1 });
		for (let number = 0; number < 20; number++) submit(`New ${number}`);
		const many = await poll(2 * SHORT_POLL);
		expect(many.names).toHaveLength(20);
		expect(many.requests).toBeLessThanOrEqual(3);
	});
});

it('1,000 responses are read whole each time if only cursors lead to the new ones at the end', async () => {
	const { submit, poll } = await beginPaged({ paging: 'cursor', total: true, order: 'asc' });
	submit('Ada');
	expect((await poll(SHORT_POLL)).requests).toBe(0);
	expect(await poll(134)).toEqual({ names: ['Ada'], requests: 67 });
});
