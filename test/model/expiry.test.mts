/** Addresses of pages that expire before the next poll, such as cursors with a short life. */
import lodash from 'lodash';
import type { NodeApiError } from 'n8n-workflow';
import { expect, it } from 'vitest';
import type { Mode } from './n8n.mts';
import { DAY_MINUTES, MINUTE_MS, countMostInADay } from '../time.mts';
import { createPaged } from './world.mts';

it.each<[number, number, Mode]>([
	[3, 1, 'default'],
	[20, 1, 'durable'],
	[80, 2, 'default'],
])(
	'Pages whose addresses expire are reported, and hold back no new response: %i pages, %i minutes, %s',
	async (pages, lifeMinutes, mode) => {
		const isIncomplete = (number: number) => number === 2;
		const { world, A } = createPaged({ pages, mode, paging: 'cursor', isIncomplete });
		A.cursorLifeMs = lifeMinutes * MINUTE_MS;
		await world.beginAndRun(60);
		const before = world.requestTimes.length;
		// the last page cannot be read again
		world.complete(A.kept[1]);
		await world.run(DAY_MINUTES, (minute) => minute % 60 === 9 && world.submit(A));
		expect(world.delivered).toHaveLength(24);
		expect(lodash.max(world.oracle.listDelays())).toBeLessThanOrEqual(10);
		const [{ thrown }] = world.reports;
		const { message, description } = thrown as NodeApiError;
		expect(message).toMatch(/position in the list .*expired/i);
		expect(description).toMatch(/Later pages are not read/);
		expect(world.oracle.listMissing()).toEqual(['A-2 responseCompleted']);
		expect(countMostInADay(world.requestTimes.slice(before))).toBeLessThanOrEqual(1.1 * 720);
	},
);
