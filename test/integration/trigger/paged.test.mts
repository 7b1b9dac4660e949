import { describe, expect, it } from 'vitest';
import type { Shapes } from '../../service/index.mts';
import { time } from '../harness.mts';
import { running } from '../world.mts';
import { addForm, DAY_MS, MINUTE_MS, pollFor, watch } from './watching.mts';

const world = await running();
const { service, n8n } = world;

/** Minutes between two short polls of one request. */
const SHORT_POLL = 4;

/** Minutes from one whole reading to the next: 67 requests at half of 720 a day. */
const WHOLE_POLL = 268;

/** A form with 1,000 responses, of which the first is incomplete, in pages of 15, and a trigger that knows them. */
async function begin(shapes: Partial<Shapes>) {
	// what other tests have sent does not count any more
	await time.sleep(DAY_MS);
	const { form, submit, countRequests } = addForm(world);
	const open = submit('Old', true);
	for (let number = 1; number < 1_000; number++) submit(`Old ${number}`);
	Object.assign(service.shapes, { pageSize: 15, ...shapes });
	const trigger = watch(n8n, form, { options: { requestsPerDay: 720 } });
	expect(await trigger.poll()).toEqual([]);
	expect(countRequests()).toBe(67);
	/** What polls deliver in so many minutes, and how many pages they ask for. */
	const poll = async (minutes: number, polls = 1) => {
		const before = countRequests();
		const { names } = await pollFor(trigger, polls, (minutes / polls) * MINUTE_MS);
		return { names, requests: countRequests() - before };
	};
	return { open, submit, poll };
}

describe.each([
	['newest first, by number', { paging: 'number', order: 'desc' }],
	['oldest first, by number', { paging: 'number', order: 'asc' }],
	['newest first, by links', { paging: 'link', total: true, order: 'desc' }],
	['oldest first, by links', { paging: 'link', total: true, order: 'asc' }],
	['newest first, without totals', { paging: 'link', order: 'desc' }],
	['newest first, by cursors', { paging: 'cursor', total: true, order: 'desc' }],
] as const)('1,000 responses in pages of 15, %s', (_text, shapes) => {
	it('take one request while nothing happens, and up to three when responses come', async () => {
		const { submit, poll } = await begin(shapes);
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

describe('1,000 responses in pages of 15', () => {
	it('are read whole every 268 minutes, which shows that an old one was completed', async () => {
		const { open, submit, poll } = await begin({ paging: 'number', order: 'desc' });
		service.store.changeResponse(open, {}, false);
		submit('Ada');
		expect(await poll(SHORT_POLL)).toEqual({ names: ['Ada'], requests: 1 });
		expect((await poll(WHOLE_POLL + SHORT_POLL, 68)).names).toEqual(['Old']);
	});

	it.each<[string, Partial<Shapes>]>([
		['come in any order', { paging: 'number', order: 'random' }],
		[
			'have the new ones at the end, and only cursors',
			{ paging: 'cursor', total: true, order: 'asc' },
		],
	])('are read whole each time if the pages %s', async (_text, shapes) => {
		const { submit, poll } = await begin(shapes);
		submit('Ada');
		expect((await poll(SHORT_POLL)).requests).toBe(0);
		expect((await poll(134, 67)).names).toEqual(['Ada']);
	});
});
