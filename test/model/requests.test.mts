/** Requests per Day, which all triggers of an account share, and waits that the service asks for. */
import lodash from 'lodash';
import { expect, it } from 'vitest';
import { RESPONSE_EVENTS } from '../../nodes/FormService/parameters/triggerEvents.ts';
import { failAll, faults, type FaultName } from './faults.mts';
import { startProcess } from './n8n.mts';
import { ALL, type Parameters } from './parameters.mts';
import type { Sent } from './service.mts';
import { DAY_MINUTES, MINUTE_MS, VirtualTime, countMostInADay } from '../time.mts';
import { createPaged, START, World } from './world.mts';

const createIds = (count: number) => lodash.times(count, (index) => `F${index}`);

it('Requests per Day are kept by all triggers of an account together, for fields too and while some fail', async () => {
	const time = new VirtualTime(START);
	const process = startProcess(time);
	const given = { time, process };
	const worlds = [
		createPaged({ ...given, pages: 3, listing: { order: 'shuffled' }, requestsPerDay: 144 }).world,
		new World(['B', 'C'], { ...given, events: RESPONSE_EVENTS }),
		new World(createIds(6), { ...given, watch: ALL, columns: true }),
	];
	for (const world of worlds) await world.begin();
	for (let minute = 0; minute < 1.3 * DAY_MINUTES; minute += 5) {
		time.pass(5 * MINUTE_MS);
		for (const world of worlds) {
			for (const form of Object.values(world.forms)) if (minute % 65 === 0) world.submit(form);
			await world.tick(0, minute % 50 === 0 ? failAll('cutBody') : {});
		}
	}
	const times = lodash.sortBy(worlds.flatMap(({ requestTimes }) => requestTimes));
	const later = times.filter((at) => at > START + 120 * MINUTE_MS);
	expect(countMostInADay(later)).toBeLessThanOrEqual(1.1 * 720);
});

it.each<[number, number, FaultName, Partial<Parameters>]>([
	[50, 9, 'serverError', {}],
	// only their fields fail
	[50, 20, 'serverError', { columns: true, emitSince: 0 }],
	// with the list of all forms
	[120, 60, 'notFound', { watch: ALL }],
])('Requests per Day hold for %i forms, %i of them never read (%s, %j)', async (...given) => {
	const [count, failing, name, parameters] = given;
	const ids = createIds(count);
	const bad = new Set(ids.slice(0, failing));
	const world = new World(ids, parameters);
	world.service.otherPageSize = 10;
	const failWith = ({ form, kind }: Sent) =>
		bad.has(form) && (kind === 'fields' || !parameters.columns) ? faults[name] : undefined;
	await world.begin(0, { failWith });
	await world.run(1.5 * DAY_MINUTES, { failWith, periodMinutes: 5 });
	expect(world.n8n.isActive).toBe(true);
	// only the first attempt to read a form comes on top
	const first = lodash.uniqBy(world.service.sent, 'form');
	expect(lodash.difference(ids, lodash.map(first, 'form'))).toEqual([]);
	const later = lodash.map(lodash.difference(world.service.sent, first), 'at');
	expect(countMostInADay(later)).toBeLessThanOrEqual(1.1 * 720);
});

it('Requests per Day hold with 300 pages and a restart every six hours', async () => {
	const { world } = createPaged({ pages: 300 });
	await world.begin(60);
	// a first reading of two polls goes on once: the default mode has kept only the first poll
	await world.restart();
	const before = world.requestTimes.length;
	const happen = async (minute: number) => minute % 360 === 0 && (await world.restart());
	await world.run(1.5 * DAY_MINUTES, { happen, periodMinutes: 2 });
	expect(countMostInADay(world.requestTimes.slice(before))).toBeLessThanOrEqual(1.1 * 720);
});
