/** Lists that are longer than a poll, more responses than a poll has room for, and what n8n saves of them. */
import lodash from 'lodash';
import { expect, it } from 'vitest';
import { failAll } from './faults.mts';
import type { Mode } from './n8n.mts';
import type { Order, Paging } from './service.mts';
import { DAY_MINUTES } from '../time.mts';
import { createPaged, World } from './world.mts';

it.each<[Mode, number, Order, Paging, number[]]>([
	// a poll has a tenth of the requests of a day in the default mode, and those of a minute in the other
	['default', 50, 'newest', 'link', [3, 1_500]],
	['durable', 62, 'oldest', 'number', [1, 2]],
	['default', 50, 'shuffled', 'link', [700]],
])('A list that is longer than a poll arrives (%s, %i pages, %s, %s)', async (...given) => {
	const [mode, pages, order, paging, restartMinutes] = given;
	const requestsPerDay = mode === 'default' ? 180 : 720;
	const isIncomplete = (number: number) => number === 6;
	const { world, A } = createPaged(
		{ pages, listing: { order, paging }, mode, requestsPerDay },
		isIncomplete,
	);
	await world.begin();
	const happen = async (minute: number) => {
		if (minute % 40 === 7) world.submit(A);
		// the default mode has saved by then what it knows
		if (minute === 2_000) world.complete(A.kept[5]);
		if (restartMinutes.includes(minute)) await world.restart();
	};
	await world.run(2 * DAY_MINUTES, { happen, periodMinutes: 5 });
	await world.run(DAY_MINUTES, { periodMinutes: 5 });
	expect(world.delivered).toHaveLength(73);
	// what a poll has no requests or time for has not failed
	expect(world.n8n.log.join()).not.toContain('could not be read');
});

it.each<[Order, number]>([
	['newest', 16_000],
	['newest', 27_000],
	['oldest', 20_000],
	['shuffled', 20_000],
])(
	'A list arrives, %s first, if each page takes %i ms in durable mode',
	async (order, latencyMs) => {
		const isIncomplete = (number: number) => number % 9 === 0;
		const { world, A } = createPaged(
			{ pages: 12, listing: { order }, mode: 'durable' },
			isIncomplete,
		);
		const happen = (minute: number) => {
			if (minute % 100 === 10) world.submit(A);
			if (minute === 100) for (const response of A.kept.slice(0, 35)) world.complete(response);
		};
		await world.begin();
		await world.run(400, { happen, latencyMs });
		expect(world.oracle.listMissing()).toEqual([]);
		// only the name of the form may be missing
		expect(world.n8n.log.filter((text) => text.startsWith('Form A'))).toEqual([]);
	},
);

it.each<Mode>(['default', 'durable'])(
	'What arrived during an outage comes, and a change on the last page, although each search leaves new responses (%s)',
	async (mode) => {
		const events = ['responseCompleted', 'responseUpdated'] as const;
		const given = { pages: 10, listing: { pageSize: 10 }, events, mode, maxPerPoll: 2 };
		const { world, A } = createPaged(given);
		await world.begin(100);
		const submit = (minute: number) => minute % 3 === 0 && world.submit(A);
		await world.run(360, { happen: submit, periodMinutes: 5, ...failAll('serverError') });
		const ofOutage = A.kept.slice(-120).map(({ id }) => `${id} responseCompleted`);
		const happen = (minute: number) => {
			if (minute === 600) world.oracle.edit(A.kept[5]);
			if (minute % 30 === 0) lodash.times(10, () => world.submit(A));
		};
		await world.run(DAY_MINUTES, { happen });
		expect(world.delivered).toEqual(expect.arrayContaining(ofOutage));
		expect(world.delivered).toContain('A-6 responseUpdated');
	},
);

it.each<Order>(['newest', 'oldest'])(
	'A burst over six pages comes in half an hour, although each poll leaves a part of a page (%s first)',
	async (order) => {
		const listing = { order, pageSize: 10 };
		const { world, A } = createPaged({ pages: 20, listing, maxPerPoll: 15 });
		await world.begin(5);
		lodash.times(60, () => world.submit(A));
		await world.run(30);
		expect(world.delivered).toHaveLength(60);
	},
);

it('Max Responses per Poll leaves each form its turn, although one has more than it can deliver', async () => {
	// each form is due with each poll
	const world = new World(['A', 'B', 'C'], { maxPerPoll: 2, requestsPerDay: 86_400 });
	const { A, B, C } = world.forms;
	await world.begin(5);
	const happen = (minute: number) => {
		lodash.times(3, () => world.submit(A));
		if (minute === 10) [B, C].map((form) => world.submit(form));
	};
	await world.run(60, { happen });
	expect(world.delivered).toContain('B-2 responseCompleted');
	expect(world.delivered).toContain('C-2 responseCompleted');
});

it('The saved state has at most 16 characters for each of 20,000 responses', async () => {
	const { world, A } = createPaged({ pages: 1, listing: { pageSize: 20_000 } });
	await world.begin();
	const perResponse = JSON.stringify(world.n8n.saved).length / A.kept.length;
	expect(perResponse).toBeGreaterThan(5);
	expect(perResponse).toBeLessThanOrEqual(16);
});
