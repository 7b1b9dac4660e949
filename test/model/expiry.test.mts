/** Page positions that expire before the next poll, such as cursors with a short life. */
import lodash from 'lodash';
import type { NodeApiError } from 'n8n-workflow';
import { expect, it } from 'vitest';
import type { Mode } from './n8n.mts';
import type { Order } from './service.mts';
import { DAY_MINUTES, MINUTE_MS, countMostInADay } from '../time.mts';
import { fill, World } from './world.mts';

/** A trigger on so many forms of so many pages, three responses on each page but the last one. */
function createForms(count: number, pages: number, order: Order, lifeMinutes: number, mode: Mode) {
	const ids = lodash.times(count, (index) => `F${index}`);
	const world = new World(ids, { mode });
	for (const form of Object.values(world.forms)) {
		const cursors = { paging: 'cursor', cursorLifeMs: lifeMinutes * MINUTE_MS } as const;
		Object.assign(form, { ...cursors, order, pageSize: 3 });
		fill(form, 3 * pages - 1, (number) => number === 4);
	}
	return world;
}

it.each<[number, number, Order, number, Mode, number]>([
	// a full pass, or one page and a full pass if the newest page is known
	[1, 3, 'oldest', 1, 'default', 14],
	[1, 20, 'newest', 1, 'durable', 90],
	[1, 20, 'shuffled', 1, 'default', 44],
	[10, 3, 'oldest', 10, 'durable', 130],
	[10, 5, 'newest', 30, 'default', 260],
	[60, 4, 'shuffled', 1, 'default', 600],
])(
	'Cursors that expire hold back no event: %i forms, %i pages, %s, %i minutes, %s, within %i minutes',
	async (count, pages, order, lifeMinutes, mode, minutes) => {
		const world = createForms(count, pages, order, lifeMinutes, mode);
		const { F0 } = world.forms;
		await world.beginAndRun(2 * minutes);
		const before = world.service.sent.length;
		const happen = () => {
			world.submit(F0);
			world.complete(F0.kept[3]);
		};
		await world.run(minutes, (minute) => minute === 1 && happen());
		expect(world.oracle.listMissing()).toEqual([]);
		await world.run(DAY_MINUTES, undefined, { periodMinutes: 5 });
		const most = countMostInADay(world.requestTimes.slice(before));
		expect(most).toBeLessThanOrEqual(720 + Math.max(72, 4 * count));
		expect(world.reports).toHaveLength(0);
	},
);

it('A list with too many pages for a poll is reported, and no report says that all responses arrive', async () => {
	const world = createForms(1, 80, 'newest', 2, 'default');
	await world.beginAndRun(DAY_MINUTES);
	const { message, description } = world.reports[0].thrown as NodeApiError;
	expect(message).toMatch(/position in the list .*expired/i);
	expect(description).toMatch(/later pages of the list are not read\.$/);
	world.submit(world.forms.F0);
	await world.run(180);
	expect(world.delivered).toEqual(['F0-240 responseCompleted']);
	expect(countMostInADay(world.requestTimes.slice(80))).toBeLessThanOrEqual(1.1 * 720);
});
