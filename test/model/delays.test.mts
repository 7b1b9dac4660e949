/**
 * How late an event comes, as docs/trigger.md promises it ("How often it polls"): n8n polls each minute, and
 * the event happens at the worst moment, right after a poll that has read what it changes.
 */
import lodash from 'lodash';
import { expect, it } from 'vitest';
import type { TriggerEvent } from '../../nodes/FormService/parameters/triggerEvents.ts';
import type { Mode } from './n8n.mts';
import type { Form, Order, Paging, Sent } from './service.mts';
import { DAY_MINUTES, HOUR_MS, MINUTE_MS, countMostInADay } from '../time.mts';
import { ALL, createPaged, World } from './world.mts';

type Happen = (world: World, form: Form) => unknown;

const submit: Happen = (world, form) => world.submit(form);
const begin: Happen = (world, form) => world.submit(form, true);
const rename: Happen = (world, form) => world.edit(form);
const create: Happen = (world) => world.submit(world.createForm('New'));
const completeOld: Happen = (world, { kept }) => world.complete(kept[39]);
/** Response 39 is complete, and on page 54 as well. */
const updateOld: Happen = (world, { kept }) => world.edit(kept[38]);

const ofForm = ({ form }: Sent) => form === 'F0';
const ofList = ({ kind }: Sent) => kind === 'forms';
const onPage = (page: number) => (request: Sent) => request.page === page;

const createIds = (count: number) => lodash.times(count, (index) => `F${index}`);
const watchForms = (count: number, ...events: TriggerEvent[]) => {
	return () => new World(createIds(count), events.length > 0 ? { events } : {});
};
const watchAll = (...events: TriggerEvent[]) => {
	return () => new World(['F0'], { watch: ALL, events });
};
const atHour = (aheadHours: number, createWorld: () => World) => () => {
	const world = createWorld();
	world.time.aheadMs = aheadHours * HOUR_MS;
	return world;
};
/** 67 pages of three responses, of which one on page 54 is the first that is incomplete. */
const createLong = (order: Order, paging: Paging = 'number', ...events: TriggerEvent[]) => {
	const given = { ...(events[0] && { events }), isIncomplete: (number: number) => number === 40 };
	return () => createPaged({ pages: 67, order, paging, ...given }).world;
};
const [completed, abandoned] = ['responseCompleted', 'responseAbandoned'] as const;
/** Rounded up to the minute, and a poll. */
const ABANDONED = DAY_MINUTES + 3;

it.each<[string, number, () => World, (request: Sent) => boolean, Happen]>([
	['a response to one form', 2, watchForms(1), ofForm, submit],
	['a response to one of ten forms', 20, watchForms(10), ofForm, submit],
	['a response to one of fifty forms', 100, watchForms(50), ofForm, submit],
	['an abandoned response', ABANDONED, watchForms(1, abandoned), ofForm, begin],
	['one, n8n 72 h ahead,', ABANDONED, atHour(72, watchForms(1, abandoned)), ofForm, begin],
	['one, n8n 72 h behind,', ABANDONED, atHour(-72, watchForms(1, abandoned)), ofForm, begin],
	['a new form', 2, watchAll('formCreated'), ofList, create],
	['a renamed form', 2, watchForms(1, 'formUpdated'), ofList, rename],
	['a new form beside responses', 4, watchAll(completed, 'formCreated'), ofList, create],
	['a response to a new form', 4, watchAll(completed), ofList, create],
	['a renamed form beside responses', 4, watchForms(1, completed, 'formUpdated'), ofList, rename],
	['a response on the first of 67 pages', 4, createLong('newest', 'link'), onPage(1), submit],
	['a response on the last of 67 pages', 4, createLong('oldest'), onPage(67), submit],
	// reading 67 pages takes more than a minute
	['one on the last without numbers', 140, createLong('oldest', 'cursor'), onPage(67), submit],
	['a response on any of 67 pages', 140, createLong('shuffled'), onPage(1), submit],
	['a completion on an old page of 67', 268, createLong('newest'), onPage(54), completeOld],
	['an update on one', 268, createLong('newest', 'link', 'responseUpdated'), onPage(54), updateOld],
])(
	'%s comes within %i minutes, and Requests per Day are kept',
	async (_what, minutes, create, isMeant, happen) => {
		const world = create();
		const [form] = Object.values(world.forms);
		await world.begin();
		const first = world.service.sent.length;
		await world.run(DAY_MINUTES / 2, undefined, { periodMinutes: 5 });
		for (const subject of [form, ...form.kept]) world.oracle.edits.appear(subject);
		world.oracle.edits.settle();
		for (let waited = 1; !(await world.tick(MINUTE_MS)).sent.some(isMeant); waited++)
			expect(waited, 'minutes until it is read').toBeLessThanOrEqual(minutes + 2);
		await happen(world, form);
		const from = world.time.actual();
		const [{ at }] = world.oracle.listOwed();
		// what happens much later does not need each of the polls before
		await world.run((at - from) / MINUTE_MS - 60, undefined, { periodMinutes: 5 });
		while (world.oracle.listOwed().length > 0) {
			await world.tick(MINUTE_MS);
			expect((world.time.actual() - from) / MINUTE_MS).toBeLessThanOrEqual(minutes + 0.01);
		}
		expect(countMostInADay(world.requestTimes.slice(first))).toBeLessThanOrEqual(1.1 * 720);
	},
);

it('The first response of a day holds back no later one of a long list, if n8n polls every 10 minutes', async () => {
	const { world, A } = createPaged({ pages: 67, order: 'newest' });
	const period = { periodMinutes: 10 };
	await world.begin();
	await world.run(DAY_MINUTES, undefined, period);
	for (const count of [1, 2, 3]) {
		world.submit(A);
		await world.run(20, undefined, period);
		expect(world.delivered).toHaveLength(count);
	}
});

it.each<[Order, number, Mode, number]>([
	// six pages take twelve minutes
	['shuffled', 6, 'default', 14],
	['shuffled', 6, 'durable', 14],
	['newest', 67, 'durable', 6],
])('After a restart, a list (%s, %i pages, %s) delivers in %i minutes', async (...given) => {
	const [order, pages, mode, minutes] = given;
	for (const ranMinutes of [61, 67, 72]) {
		const { world, A } = createPaged({ pages, order, mode, pageSize: 10 });
		await world.beginAndRun(ranMinutes);
		await world.restart();
		world.submit(A);
		await world.run(minutes);
		expect(world.delivered).toEqual([`A-${10 * pages} responseCompleted`]);
	}
});
