/**
 * How late an event comes, as docs/trigger.md promises it ("How often it polls"): n8n polls each minute, and
 * the event happens at the worst moment, right after a poll that has read what it changes.
 */
import lodash from 'lodash';
import { expect, it } from 'vitest';
import type { TriggerEvent } from '../../nodes/FormService/parameters/triggerEvents.ts';
import type { Mode } from './n8n.mts';
import { ALL } from './parameters.mts';
import type { Form, Order, Paging, Sent } from './service.mts';
import { DAY_MINUTES, MINUTE_MS, countMostInADay } from '../time.mts';
import { createPaged, World } from './world.mts';

type Happen = (world: World, form: Form) => unknown;

const submit: Happen = (world, form) => world.submit(form);
const begin: Happen = (world, form) => world.submit(form, true);
const edit: Happen = (world, form) => world.oracle.edit(form);
const create: Happen = (world) => world.submit(world.createForm('New'));
const completeOld: Happen = (world, { kept }) => world.complete(kept[39]);

const isOfForm = ({ form }: Sent) => form === 'F0';
const isOfList = ({ kind }: Sent) => kind === 'forms';
const isOnPage = (page: number) => (request: Sent) => request.page === page;

const watchForms = (count: number, ...events: TriggerEvent[]) => {
	const ids = lodash.times(count, (index) => `F${index}`);
	return () => new World(ids, events.length > 0 ? { events } : {});
};
const watchAll = (...events: TriggerEvent[]) => {
	return () => new World(['F0'], { watch: ALL, events });
};
/** 67 pages of three responses, of which one on page 54 is the first that is incomplete. */
const createLong = (order: Order, paging: Paging = 'number') => {
	const given = { pages: 67, listing: { order, paging } };
	return () => createPaged(given, (number) => number === 40).world;
};
/** Rounded up to the minute, and a poll. */
const ABANDONED = DAY_MINUTES + 3;

it.each<[string, number, () => World, (request: Sent) => boolean, Happen]>([
	['a response to one form', 2, watchForms(1), isOfForm, submit],
	['a response to one of ten forms', 20, watchForms(10), isOfForm, submit],
	['an abandoned response', ABANDONED, watchForms(1, 'responseAbandoned'), isOfForm, begin],
	['a new form', 2, watchAll('formCreated'), isOfList, create],
	['a response to a new form', 4, watchAll('responseCompleted'), isOfList, create],
	['an edited form', 2, watchForms(1, 'formUpdated'), isOfList, edit],
	['a response on the first of 67 pages', 4, createLong('newest', 'link'), isOnPage(1), submit],
	['a response on the last of 67 pages', 4, createLong('oldest'), isOnPage(67), submit],
	['a response on any of 67 pages', 268, createLong('shuffled'), isOnPage(1), submit],
	['a completion on an old page of 67', 268, createLong('newest'), isOnPage(54), completeOld],
])(
	'%s comes within %i minutes, and Requests per Day are kept',
	async (_what, minutes, create, isMeant, happen) => {
		const world = create();
		const [form] = Object.values(world.forms);
		await world.begin();
		const first = world.service.sent.length;
		await world.run(DAY_MINUTES / 2, { periodMinutes: 5 });
		world.oracle.settle([form]);
		for (let waited = 1; !(await world.tick(MINUTE_MS)).sent.some(isMeant); waited++)
			expect(waited, 'minutes until it is read').toBeLessThanOrEqual(minutes + 2);
		await happen(world, form);
		const from = world.time.actual();
		const [{ at }] = world.oracle.listOwed();
		// what happens much later does not need each of the polls before
		await world.run((at - from) / MINUTE_MS - 60, { periodMinutes: 5 });
		while (world.oracle.listOwed().length > 0) {
			await world.tick(MINUTE_MS);
			expect((world.time.actual() - from) / MINUTE_MS).toBeLessThanOrEqual(minutes + 0.01);
		}
		expect(countMostInADay(world.requestTimes.slice(first))).toBeLessThanOrEqual(1.1 * 720);
	},
);

it.each<[Order, number, Mode, number]>([
	// a pass of six pages takes 24 minutes
	['shuffled', 6, 'default', 26],
	['shuffled', 6, 'durable', 26],
	['newest', 67, 'durable', 6],
])('After a restart, a list (%s, %i pages, %s) delivers in %i minutes', async (...given) => {
	const [order, pages, mode, minutes] = given;
	for (const ranMinutes of [61, 67, 72]) {
		const { world, A } = createPaged({ pages, listing: { order, pageSize: 10 }, mode });
		await world.begin(ranMinutes);
		await world.restart();
		world.submit(A);
		await world.run(minutes);
		expect(world.delivered).toEqual([`A-${10 * pages} responseCompleted`]);
	}
});

it('Many responses of a long list come soon, also if the full pass is the first to read one of their pages', async () => {
	const { world, A } = createPaged({ pages: 20, listing: { pageSize: 10 } });
	await world.begin(20);
	while (!(await world.tick(MINUTE_MS)).sent.some(isOnPage(20))) continue;
	// after the next search, the pass starts over
	await world.run(2);
	lodash.times(60, () => world.submit(A));
	await world.run(5);
	expect(world.delivered).toHaveLength(60);
});
